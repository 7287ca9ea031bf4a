import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../../kernel/json-shape.ts'
import { isCallable } from '../../plugin/surroundings.ts'

const MAX_SESSIONS = 500
const MAX_TEXT_CHARS = 20_000

interface Facts {
  readonly parent?: string
  readonly agent?: string
  readonly directory?: string
  readonly version?: string
}

interface Said {
  readonly messageID: string
  readonly text: string
}

interface Compaction {
  /** Of the message that asks for it: the same before and after, in the plugin and in OpenCode's database. */
  readonly id?: string
  readonly auto?: boolean
  readonly summary?: string
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

interface Context {
  readonly tokens: number
  readonly window?: number | undefined
}

function put<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) if (map.size > MAX_SESSIONS) map.delete(oldest)
}

function sumOf(parts: readonly unknown[]): number {
  return parts.reduce<number>((sum, part) => sum + (numberOf(part) ?? 0), 0)
}

const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms).unref())

/** What the plugin has to remember of the sessions in its process, because OpenCode tells each thing once. */
export class OpenCodeSessions {
  readonly #client: unknown
  readonly #meetingMs: number
  readonly #facts = new Map<string, Facts>()
  readonly #opened = new Map<string, Promise<string | undefined>>()
  readonly #owed = new Map<string, readonly string[]>()
  readonly #said = new Map<string, Said>()
  readonly #compactions = new Map<string, Compaction>()
  readonly #summaries = new Map<string, string>()
  readonly #windows = new Map<string, number>()
  readonly #context = new Map<string, Context>()

  constructor(client: unknown, meetingMs: number) {
    this.#client = client
    this.#meetingMs = meetingMs
  }

  learn(info: unknown): void {
    const { id, parentID, agent, directory, version } = objectOf(info)
    const key = textOf(id)
    if (key === undefined) return
    const facts = {
      parent: textOf(parentID),
      agent: textOf(agent),
      directory: textOf(directory),
      version: textOf(version),
    }
    put(this.#facts, key, facts)
  }

  /** Asks OpenCode about a session that began before this process. */
  async meet(id: string): Promise<void> {
    if (this.#facts.has(id)) return
    const sessions = objectOf(isObject(this.#client) ? this.#client.session : undefined)
    const { get } = sessions
    if (!isCallable(get)) return
    const asked = Promise.resolve(get.call(sessions, { path: { id } })).catch(() => undefined)
    const answer = objectOf(await Promise.race([asked, pause(this.#meetingMs)]))
    this.learn(answer.data ?? answer)
  }

  isMain(id: string): boolean {
    return this.#facts.get(id)?.parent === undefined
  }

  /** The session as the connector wants it: which one, inside which, where. */
  describe(id: string): JsonObject {
    const facts = this.#facts.get(id)
    let root = id
    for (let steps = 0; steps < 20; steps += 1) root = this.#facts.get(root)?.parent ?? root
    return { id, root, agent: facts?.agent, directory: facts?.directory, version: facts?.version }
  }

  open(id: string, answer: Promise<string | undefined>): void {
    put(this.#opened, id, answer)
  }

  isOpen(id: string): boolean {
    return this.#opened.has(id)
  }

  opened(): readonly string[] {
    return [...this.#opened.keys()]
  }

  owe(id: string, texts: readonly string[]): void {
    put(this.#owed, id, texts)
  }

  /** What the newest start of the session was answered with; waits for an answer that is under way. */
  async owed(id: string, withinMs: number): Promise<readonly string[]> {
    const answer = this.#opened.get(id)
    const told = await Promise.race([answer, pause(withinMs)])
    if (told !== undefined && this.#opened.get(id) === answer) {
      this.#opened.set(id, Promise.resolve(undefined))
      this.owe(id, [told])
    }
    return this.#owed.get(id) ?? []
  }

  async takeOwed(id: string, withinMs: number): Promise<readonly string[]> {
    const texts = await this.owed(id, withinMs)
    this.#owed.delete(id)
    return texts
  }

  noteText(session: string | undefined, messageID: string | undefined, text: string | undefined): void {
    if (session === undefined || messageID === undefined || text === undefined) return
    const kept = text.slice(0, MAX_TEXT_CHARS)
    if (this.#summaries.has(messageID)) put(this.#compactions, session, { ...this.compaction(session), summary: kept })
    else put(this.#said, session, { messageID, text: kept })
  }

  /** A summary is an assistant's message too, and no words of this turn; what it read is what the context holds no more. */
  noteMessage(session: string, info: unknown): void {
    const { id, summary, role, tokens, modelID } = objectOf(info)
    const key = textOf(id)
    if (key === undefined || role !== 'assistant') return
    const { input, output, reasoning, cache } = objectOf(tokens)
    const [read, said] = [sumOf([input, objectOf(cache).read, objectOf(cache).write]), sumOf([output, reasoning])]
    const used = read + said
    if (summary === true) {
      put(this.#summaries, key, session)
      this.#context.delete(session)
      // What the summary was made from is what was there, and the summary is what is left.
      if (said > 0)
        put(this.#compactions, session, { ...this.compaction(session), tokensBefore: read, tokensAfter: said })
      return
    }
    // Told as the message grows: nothing is counted before the model has answered.
    if (used > 0) put(this.#context, session, { tokens: used, window: this.#windows.get(textOf(modelID) ?? '') })
  }

  /** OpenCode says how much a model takes in when it asks one. */
  noteModel(model: unknown): void {
    const { id, limit } = objectOf(model)
    const [key, window] = [textOf(id), numberOf(objectOf(limit).context)]
    if (key !== undefined && window !== undefined && window > 0) put(this.#windows, key, window)
  }

  /** How full the session's context is; undefined when that was told since. */
  takeContext(session: string): Context | undefined {
    const context = this.#context.get(session)
    this.#context.delete(session)
    return context
  }

  lastSaid(session: string): Said | undefined {
    return this.#said.get(session)
  }

  noteCompaction(session: string, part: JsonObject): void {
    const id = textOf(part.messageID)
    put(this.#compactions, session, { auto: part.auto !== false, ...(id === undefined ? {} : { id }) })
  }

  compaction(session: string): Compaction {
    return this.#compactions.get(session) ?? {}
  }
}
