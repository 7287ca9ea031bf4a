import { isObject, type JsonObject, asNumber, asObject, asText } from '../../../kernel/json-shape.ts'
import { isCallable } from '../../plugin/plugin-host.ts'
import { BoundedMap } from '../../../kernel/structures/bounded-map.ts'

const MAX_SESSIONS = 500
const MAX_TEXT_CHARS = 20_000

interface SessionInfo {
  readonly parent?: string
  readonly agent?: string
  readonly directory?: string
  readonly version?: string
}

interface AgentText {
  readonly messageID: string
  readonly text: string
}

interface Compaction {
  /** Id of the message that starts it: the same before and after, in the plugin and in OpenCode's database. */
  readonly id?: string
  readonly auto?: boolean
  readonly summary?: string
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

interface ContextUsage {
  readonly tokens: number
  readonly window?: number | undefined
}

function sum(parts: readonly unknown[]): number {
  return parts.reduce<number>((sum, part) => sum + (asNumber(part) ?? 0), 0)
}

const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms).unref())

/** The sessions in this process: OpenCode reports each fact once. */
export class OpenCodeSessions {
  readonly #client: unknown
  readonly #timeoutMs: number
  readonly #facts = new BoundedMap<string, SessionInfo>(MAX_SESSIONS)
  readonly #opened = new BoundedMap<string, Promise<string | undefined>>(MAX_SESSIONS)
  readonly #pending = new BoundedMap<string, readonly string[]>(MAX_SESSIONS)
  readonly #lastTexts = new BoundedMap<string, AgentText>(MAX_SESSIONS)
  readonly #compactions = new BoundedMap<string, Compaction>(MAX_SESSIONS)
  readonly #summaries = new BoundedMap<string, string>(MAX_SESSIONS)
  readonly #windows = new BoundedMap<string, number>(MAX_SESSIONS)
  readonly #context = new BoundedMap<string, ContextUsage>(MAX_SESSIONS)

  constructor(client: unknown, timeoutMs: number) {
    this.#client = client
    this.#timeoutMs = timeoutMs
  }

  learn(info: unknown): void {
    const { id, parentID, agent, directory, version } = asObject(info)
    const key = asText(id)
    if (key === undefined) return
    const facts = {
      parent: asText(parentID),
      agent: asText(agent),
      directory: asText(directory),
      version: asText(version),
    }
    this.#facts.set(key, facts)
  }

  /** Asks OpenCode about a session that began before this process. */
  async lookUp(id: string): Promise<void> {
    if (this.#facts.has(id)) return
    const sessions = asObject(isObject(this.#client) ? this.#client.session : undefined)
    const { get } = sessions
    if (!isCallable(get)) return
    const asked = Promise.resolve(get.call(sessions, { path: { id } })).catch(() => undefined)
    const answer = asObject(await Promise.race([asked, pause(this.#timeoutMs)]))
    this.learn(answer.data ?? answer)
  }

  isMain(id: string): boolean {
    return this.#facts.get(id)?.parent === undefined
  }

  /** The session as the connector expects it. */
  describe(id: string): JsonObject {
    const facts = this.#facts.get(id)
    let root = id
    for (let steps = 0; steps < 20; steps += 1) root = this.#facts.get(root)?.parent ?? root
    return { id, root, agent: facts?.agent, directory: facts?.directory, version: facts?.version }
  }

  open(id: string, answer: Promise<string | undefined>): void {
    this.#opened.set(id, answer)
  }

  isOpen(id: string): boolean {
    return this.#opened.has(id)
  }

  opened(): readonly string[] {
    return [...this.#opened.keys()]
  }

  setPending(id: string, texts: readonly string[]): void {
    this.#pending.set(id, texts)
  }

  /** The answer to the session's newest start; waits for one that is on its way. */
  async pending(id: string, withinMs: number): Promise<readonly string[]> {
    const answer = this.#opened.get(id)
    const text = await Promise.race([answer, pause(withinMs)])
    if (text !== undefined && this.#opened.get(id) === answer) {
      this.#opened.set(id, Promise.resolve(undefined))
      this.setPending(id, [text])
    }
    return this.#pending.get(id) ?? []
  }

  async takePending(id: string, withinMs: number): Promise<readonly string[]> {
    const texts = await this.pending(id, withinMs)
    this.#pending.delete(id)
    return texts
  }

  noteText(session: string | undefined, messageID: string | undefined, text: string | undefined): void {
    if (session === undefined || messageID === undefined || text === undefined) return
    const kept = text.slice(0, MAX_TEXT_CHARS)
    if (this.#summaries.has(messageID)) this.#compactions.set(session, { ...this.compaction(session), summary: kept })
    else this.#lastTexts.set(session, { messageID, text: kept })
  }

  /** A summary is an assistant message too, but not part of the turn; what it read has left the context. */
  noteMessage(session: string, info: unknown): void {
    const { id, summary, role, tokens, modelID } = asObject(info)
    const key = asText(id)
    if (key === undefined || role !== 'assistant') return
    const { input, output, reasoning, cache } = asObject(tokens)
    const [read, written] = [sum([input, asObject(cache).read, asObject(cache).write]), sum([output, reasoning])]
    const used = read + written
    if (summary === true) {
      this.#summaries.set(key, session)
      this.#context.delete(session)
      // The summary's input is the size before, its output the size after.
      if (written > 0)
        this.#compactions.set(session, { ...this.compaction(session), tokensBefore: read, tokensAfter: written })
      return
    }
    // Updated as the message grows: nothing is counted before the model has answered.
    if (used > 0) this.#context.set(session, { tokens: used, window: this.#windows.get(asText(modelID) ?? '') })
  }

  /** OpenCode names a model's limit when it calls one. */
  noteModel(model: unknown): void {
    const { id, limit } = asObject(model)
    const [key, window] = [asText(id), asNumber(asObject(limit).context)]
    if (key !== undefined && window !== undefined && window > 0) this.#windows.set(key, window)
  }

  /** The context's size; undefined when it was reported since. */
  takeContext(session: string): ContextUsage | undefined {
    const context = this.#context.get(session)
    this.#context.delete(session)
    return context
  }

  lastText(session: string): AgentText | undefined {
    return this.#lastTexts.get(session)
  }

  noteCompaction(session: string, part: JsonObject): void {
    const id = asText(part.messageID)
    this.#compactions.set(session, { auto: part.auto !== false, ...(id === undefined ? {} : { id }) })
  }

  compaction(session: string): Compaction {
    return this.#compactions.get(session) ?? {}
  }
}
