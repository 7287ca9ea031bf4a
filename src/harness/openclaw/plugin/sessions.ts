import { type JsonObject, asNumber, asObject, asText } from '../../../kernel/json-shape.ts'
import { within } from '../../plugin/report.ts'
import { BoundedMap } from '../../../kernel/structures/bounded-map.ts'

const MAX_SESSIONS = 500

/** Marks a process in which the plugin runs: the legacy hook is inactive there. */
export const PLUGIN_MARK = Symbol.for('holdfast.openclaw.plugin')

export interface OpenClawFacts {
  readonly id?: string
  /** OpenClaw's name of a conversation, which has one session after another. */
  readonly key?: string
  /** The session that this one works for; itself where it works for its user, undefined where that is unknown. */
  readonly root?: string
  readonly isChild?: boolean
  readonly workspace?: string
}

interface OpenClawUsage {
  readonly tokens: number
  readonly window?: number | undefined
}

/** The sessions in this process: most hooks of OpenClaw only name one. */
export class OpenClawSessions {
  readonly #ids = new BoundedMap<string, string>(MAX_SESSIONS)
  readonly #workspaces = new BoundedMap<string, string>(MAX_SESSIONS)
  readonly #parents = new BoundedMap<string, string>(MAX_SESSIONS)
  readonly #open = new BoundedMap<
    string,
    { readonly facts: OpenClawFacts; readonly answer: Promise<string | undefined> }
  >(MAX_SESSIONS)
  readonly #startTexts = new BoundedMap<string, string>(MAX_SESSIONS)
  readonly #closedBy = new BoundedMap<string, string>(MAX_SESSIONS)
  readonly #tokens = new BoundedMap<string, number>(MAX_SESSIONS)
  readonly #usage = new BoundedMap<string, number>(MAX_SESSIONS)
  readonly #windows = new BoundedMap<string, number>(MAX_SESSIONS)

  /** The session of a hook, with the facts from earlier ones. */
  observe(event: unknown, context: unknown): OpenClawFacts {
    const [payload, about] = [asObject(event), asObject(context)]
    const key = asText(about.sessionKey) ?? asText(payload.sessionKey) ?? asText(about.childSessionKey)
    const id =
      asText(about.sessionId) ?? asText(payload.sessionId) ?? (key === undefined ? undefined : this.#ids.get(key))
    if (key !== undefined && id !== undefined) this.#ids.set(key, id)
    const workspace = asText(about.workspaceDir) ?? asText(payload.cwd)
    if (id !== undefined && workspace !== undefined) this.#workspaces.set(id, workspace)
    const isChild = key !== undefined && this.#isChild(key)
    const root = isChild ? this.#rootOf(key) : id
    return { id, key, root, isChild, workspace: this.#workspaces.get(id ?? '') ?? this.#workspaces.get(root ?? '') }
  }

  /** OpenClaw 2026.9.6 names a subagent's conversation like this; no hook reported one that began before this process. */
  #isChild(key: string): boolean {
    return this.#parents.has(key) || key.includes(':subagent:')
  }

  #rootOf(key: string): string | undefined {
    let top = key
    for (let steps = 0; steps < 20; steps += 1) top = this.#parents.get(top) ?? top
    return top === key ? undefined : this.#ids.get(top)
  }

  /** The rest of OpenClaw's context is handles to itself. */
  contextOf(context: unknown): JsonObject {
    const { sessionId, sessionKey, agentId, runId, workspaceDir, modelId, trigger, inputProvenance } = asObject(context)
    return { sessionId, sessionKey, agentId, runId, workspaceDir, modelId, trigger, inputProvenance }
  }

  adopt(event: unknown, context: unknown): void {
    const [payload, about] = [asObject(event), asObject(context)]
    const child = asText(payload.childSessionKey) ?? asText(about.childSessionKey)
    const parent = asText(about.requesterSessionKey) ?? asText(payload.requesterSessionKey) ?? asText(about.sessionKey)
    if (child !== undefined && parent !== undefined && child !== parent) this.#parents.set(child, parent)
  }

  open(id: string, answer: Promise<string | undefined>): void {
    const facts = { id, root: id, workspace: this.#workspaces.get(id) }
    this.#closedBy.delete(id)
    this.#open.set(id, { facts, answer })
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  /** `/new` may give a conversation the same session again: that is not a resume. */
  startOf(id: string, previous: string | undefined): string {
    const reason = this.#closedBy.get(previous ?? id) ?? this.#closedBy.get(id)
    if (reason === 'new' || reason === 'reset') return 'clear'
    if (reason === 'compaction') return 'compact'
    return previous === undefined ? 'startup' : 'resume'
  }

  close(id: string, reason: string | undefined): void {
    this.#open.delete(id)
    this.#startTexts.delete(id)
    this.#closedBy.set(id, reason ?? 'unknown')
  }

  /** The answer to the newest start. OpenClaw's history does not keep a plugin's text, so it goes with every prompt. */
  async startText(id: string, withinMs: number): Promise<string | undefined> {
    const text = await within(withinMs, this.#open.get(id)?.answer ?? Promise.resolve(undefined))
    if (text !== undefined) this.#startTexts.set(id, text)
    return this.#startTexts.get(id)
  }

  /** OpenClaw 2026.9.6 gives the limit after a run's model calls, and the size of each with the run's end. */
  noteUsage(id: string | undefined, tokens: unknown, window: unknown): void {
    if (id === undefined) return
    const [used, fits] = [asNumber(tokens), asNumber(window)]
    if (fits !== undefined) this.#windows.set(id, fits)
    if (used !== undefined) this.#usage.set(id, used)
  }

  /** The context's size; undefined when it was reported since. */
  takeUsage(id: string | undefined): OpenClawUsage | undefined {
    const tokens = this.#usage.get(id ?? '')
    this.#usage.delete(id ?? '')
    return tokens === undefined ? undefined : { tokens, window: this.#windows.get(id ?? '') }
  }

  noteTokens(id: string | undefined, tokens: number | undefined): void {
    if (id !== undefined && tokens !== undefined) this.#tokens.set(id, tokens)
  }

  tokensBefore(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#tokens.get(id)
  }

  /** Removes and returns the open sessions. */
  takeOpen(): readonly OpenClawFacts[] {
    const facts = [...this.#open.values()].map((session) => session.facts)
    this.#open.clear()
    return facts
  }
}
