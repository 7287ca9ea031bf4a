import type { SessionEvent, ToolCall, TranscriptItem, TranscriptNote } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { type RawOutcome, readOutcome } from '../payload/tool-output.ts'
import { eventBase, SessionFacts } from './session-facts.ts'
import type { JsonObject } from '../../kernel/json-shape.ts'
import type { ReaderOptions, RecordReader, TranscriptFacts } from '../contract/transcript-format.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'

const MAX_REMEMBERED_IDS = 50_000

/** A transcript may contain a fact twice. Past the limit it is returned twice: the store ignores known ids. */
export class SeenEvents {
  private readonly ids = new Set<string>()

  isNew({ id }: Pick<SessionEvent, 'id'>): boolean {
    if (this.ids.has(id)) return false
    if (this.ids.size < MAX_REMEMBERED_IDS) this.ids.add(id)
    return true
  }
}

/** A harness runs only a few calls at once. */
const MAX_OPEN = 500

/** Calls that have no result yet. */
export class OpenCalls<Call> {
  private readonly calls = new BoundedMap<string, Call>(MAX_OPEN)

  begin(key: string, call: Call): void {
    this.calls.set(key, call)
  }

  /** Removes and returns the call of a result; undefined when there is none. */
  finish(key: string): Call | undefined {
    const call = this.calls.get(key)
    this.calls.delete(key)
    return call
  }

  /** Removes and returns all that are left. */
  takeAll(): readonly (readonly [key: string, call: Call])[] {
    const left = [...this.calls]
    this.calls.clear()
    return left
  }
}

/** Shared by the readers of whole sessions: they name what happened, and this makes events and notes of it. */
export class SessionLog {
  private readonly session: SessionFacts
  private readonly calls = new OpenCalls<ToolCall>()
  private readonly seen = new SeenEvents()
  private items: TranscriptItem[] = []
  private context: TranscriptNote | undefined
  private version: string | undefined
  private model: string | undefined

  constructor(
    private readonly harness: string,
    private readonly options: ReaderOptions,
  ) {
    this.session = new SessionFacts(options)
  }

  /** Removes and returns the items since the last call. */
  take(): readonly TranscriptItem[] {
    const taken = this.items
    this.items = []
    return taken
  }

  facts(): TranscriptFacts {
    return this.session.toFacts()
  }

  learn(facts: {
    time?: unknown
    session?: unknown
    cwd?: unknown
    branch?: unknown
    version?: unknown
    model?: unknown
  }): void {
    this.session.learn(facts)
    this.version = bounded(facts.version, BOUNDS.word) ?? this.version
    this.model = bounded(facts.model, BOUNDS.word) ?? this.model
  }

  prompt(text: string | undefined, key: string): void {
    const prompt = text === undefined ? undefined : boundedPrompt(withoutOwnText(text))
    if (prompt !== undefined) this.add({ kind: 'prompt-submitted', ...this.base('prompt-submitted', key), prompt })
  }

  statement(text: string | undefined): void {
    const said = text === undefined ? undefined : bounded(withoutOwnText(text), BOUNDS.message)
    const { at } = this.session
    if (said !== undefined) this.note({ kind: 'statement', text: said, ...(at === undefined ? {} : { at }) })
  }

  summary(text: string | undefined): void {
    const shown = text === undefined ? undefined : bounded(withoutOwnText(text), BOUNDS.summary)
    if (shown !== undefined) this.note({ kind: 'summary-shown', text: shown })
  }

  measured(contextTokens: number | undefined, windowTokens?: number): void {
    if (contextTokens === undefined || contextTokens <= 0) return
    const { model } = this
    this.context = {
      kind: 'context-measured',
      contextTokens,
      ...(windowTokens === undefined || windowTokens <= 0 ? {} : { windowTokens }),
      ...(model === undefined ? {} : { model }),
    }
  }

  started(key: string, tool: ToolCall): void {
    this.calls.begin(key, tool)
  }

  /** A result without its call is dropped. */
  finished(key: string, outcome: RawOutcome): void {
    const tool = this.calls.finish(key)
    if (tool === undefined) return
    this.add({
      kind: 'tool-finished',
      ...this.base('tool-finished', key),
      tool,
      outcome: readOutcome(tool.kind, outcome),
    })
  }

  compacted(key: string): void {
    this.add({ kind: 'compaction-finished', ...this.base('compaction-finished', key) })
  }

  /** For a harness whose hooks do not report that a session continues after a compaction. */
  startedAfterCompaction(key: string): void {
    this.add({ kind: 'session-started', ...this.base('session-started', key), source: 'compact' })
  }

  /** The calls that had not finished, and the context's size, at the end of the transcript. */
  end(): readonly TranscriptItem[] {
    // Beside a running session a call without a result is still running.
    const left = this.calls.takeAll()
    const underWay = this.options.mode === 'history' ? left : []
    for (const [key, tool] of underWay) this.add({ kind: 'tool-started', ...this.base('tool-started', key), tool })
    if (this.context !== undefined) this.note(this.context)
    return this.take()
  }

  private base(kind: SessionEvent['kind'], key: string) {
    const { harness, version: harnessVersion } = this
    return eventBase(this.session.eventFacts({ harness, harnessVersion, subagent: this.options.subagent }), kind, key)
  }

  private add(event: SessionEvent): void {
    if (this.seen.isNew(event)) this.items.push({ type: 'event', event })
  }

  private note(note: TranscriptNote): void {
    this.items.push({ type: 'note', note })
  }
}

/** A reader for formats where a record contains call and result, and subagents have no files of their own. */
export function plainReader(log: SessionLog, read: (record: JsonObject) => void): RecordReader {
  return {
    prime: () => undefined,
    takeFinishedSubagents: () => [],
    facts: () => log.facts(),
    end: () => log.end(),
    read(record) {
      read(record)
      return log.take()
    },
  }
}
