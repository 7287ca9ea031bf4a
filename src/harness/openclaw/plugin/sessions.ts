import { type JsonObject, numberOf, objectOf, textOf } from '../../../kernel/json-shape.ts'
import { within } from '../../plugin/within.ts'

const MAX_SESSIONS = 500

/** Marks a process in which the plugin speaks: the legacy hook is silent there. */
export const PLUGIN_MARK = Symbol.for('holdfast.openclaw.plugin')

export interface OpenClawFacts {
  readonly id?: string
  /** OpenClaw's name for the place of a conversation; the sessions in it come and go. */
  readonly key?: string
  /** The session that this one works for; itself where it works for its user, and undefined where nobody knows. */
  readonly root?: string
  readonly isChild?: boolean
  readonly workspace?: string
}

interface OpenClawUsage {
  readonly tokens: number
  readonly window?: number | undefined
}

function put<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) if (map.size > MAX_SESSIONS) map.delete(oldest)
}

/** What the plugin has to remember of the sessions in its process: most hooks of OpenClaw name one, and say no more of it. */
export class OpenClawSessions {
  readonly #ids = new Map<string, string>()
  readonly #workspaces = new Map<string, string>()
  readonly #parents = new Map<string, string>()
  readonly #open = new Map<string, { readonly facts: OpenClawFacts; readonly answer: Promise<string | undefined> }>()
  readonly #told = new Map<string, string>()
  readonly #closedBy = new Map<string, string>()
  readonly #tokens = new Map<string, number>()
  readonly #usage = new Map<string, number>()
  readonly #windows = new Map<string, number>()

  /** The session of a hook, with what earlier ones said of it. */
  meet(event: unknown, context: unknown): OpenClawFacts {
    const [said, about] = [objectOf(event), objectOf(context)]
    const key = textOf(about.sessionKey) ?? textOf(said.sessionKey) ?? textOf(about.childSessionKey)
    const id = textOf(about.sessionId) ?? textOf(said.sessionId) ?? (key === undefined ? undefined : this.#ids.get(key))
    if (key !== undefined && id !== undefined) put(this.#ids, key, id)
    const workspace = textOf(about.workspaceDir) ?? textOf(said.cwd)
    if (id !== undefined && workspace !== undefined) put(this.#workspaces, id, workspace)
    const isChild = key !== undefined && this.#isChild(key)
    const root = isChild ? this.#rootOf(key) : id
    return { id, key, root, isChild, workspace: this.#workspaces.get(id ?? '') ?? this.#workspaces.get(root ?? '') }
  }

  /** OpenClaw 2026.9.6 names the conversation of a subagent so; one from before this process was told of by no hook. */
  #isChild(key: string): boolean {
    return this.#parents.has(key) || key.includes(':subagent:')
  }

  #rootOf(key: string): string | undefined {
    let top = key
    for (let steps = 0; steps < 20; steps += 1) top = this.#parents.get(top) ?? top
    return top === key ? undefined : this.#ids.get(top)
  }

  /** Only what counts: the rest of OpenClaw's context is handles to itself. */
  contextOf(context: unknown): JsonObject {
    const { sessionId, sessionKey, agentId, runId, workspaceDir, modelId, trigger, inputProvenance } = objectOf(context)
    return { sessionId, sessionKey, agentId, runId, workspaceDir, modelId, trigger, inputProvenance }
  }

  adopt(event: unknown, context: unknown): void {
    const [said, about] = [objectOf(event), objectOf(context)]
    const child = textOf(said.childSessionKey) ?? textOf(about.childSessionKey)
    const parent = textOf(about.requesterSessionKey) ?? textOf(said.requesterSessionKey) ?? textOf(about.sessionKey)
    if (child !== undefined && parent !== undefined && child !== parent) put(this.#parents, child, parent)
  }

  open(id: string, answer: Promise<string | undefined>): void {
    const facts = { id, root: id, workspace: this.#workspaces.get(id) }
    this.#closedBy.delete(id)
    put(this.#open, id, { facts, answer })
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  /** `/new` may give a conversation the same session again: then it is not one that was resumed. */
  startOf(id: string, previous: string | undefined): string {
    const reason = this.#closedBy.get(previous ?? id) ?? this.#closedBy.get(id)
    if (reason === 'new' || reason === 'reset') return 'clear'
    if (reason === 'compaction') return 'compact'
    return previous === undefined ? 'startup' : 'resume'
  }

  close(id: string, reason: string | undefined): void {
    this.#open.delete(id)
    this.#told.delete(id)
    put(this.#closedBy, id, reason ?? 'unknown')
  }

  /** What the newest start was answered with. OpenClaw's history does not keep what a plugin adds to a prompt, so it is said with each. */
  async owed(id: string, withinMs: number): Promise<string | undefined> {
    const told = await within(withinMs, this.#open.get(id)?.answer ?? Promise.resolve(undefined))
    if (told !== undefined) put(this.#told, id, told)
    return this.#told.get(id)
  }

  /** OpenClaw 2026.9.6 says how much fits when a run's calls of the model are over, and what each held with the run's end. */
  noteUsage(id: string | undefined, tokens: unknown, window: unknown): void {
    if (id === undefined) return
    const [used, fits] = [numberOf(tokens), numberOf(window)]
    if (fits !== undefined) put(this.#windows, id, fits)
    if (used !== undefined) put(this.#usage, id, used)
  }

  /** How full the session's context is; undefined when that was told since. */
  takeUsage(id: string | undefined): OpenClawUsage | undefined {
    const tokens = this.#usage.get(id ?? '')
    this.#usage.delete(id ?? '')
    return tokens === undefined ? undefined : { tokens, window: this.#windows.get(id ?? '') }
  }

  noteTokens(id: string | undefined, tokens: number | undefined): void {
    if (id !== undefined && tokens !== undefined) put(this.#tokens, id, tokens)
  }

  tokensBefore(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#tokens.get(id)
  }

  /** The sessions that are under way; none of them is, after this. */
  takeOpen(): readonly OpenClawFacts[] {
    const facts = [...this.#open.values()].map((session) => session.facts)
    this.#open.clear()
    return facts
  }
}
