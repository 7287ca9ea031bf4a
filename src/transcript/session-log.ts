import type { SessionEvent, ToolCall, TranscriptItem, TranscriptNote } from '../core/event.ts'
import { SessionKey } from '../core/id.ts'
import { BOUNDS, bounded, boundedPath } from '../harness/bounds.ts'
import { withoutOwnText } from '../harness/own-text.ts'
import { type RawOutcome, readOutcome } from '../harness/tool-output.ts'
import { eventBase, timeOf } from './event-base.ts'
import type { JsonObject } from '../harness/json-shape.ts'
import type { ReaderOptions, RecordReader, TranscriptFacts } from './record-reader.ts'

const MAX_PENDING = 500

/** What the readers of whole sessions share: they say what happened, this says it in our words. */
export class SessionLog {
  private readonly pending = new Map<string, ToolCall>()
  private readonly known = new Set<string>()
  private items: TranscriptItem[] = []
  private context: TranscriptNote | undefined
  private at: string | undefined
  private sessionKey: SessionKey | undefined
  private cwd: string | undefined
  private gitBranch: string | undefined
  private version: string | undefined
  private model: string | undefined

  constructor(
    private readonly harness: string,
    private readonly options: ReaderOptions,
  ) {
    this.sessionKey = options.sessionKey
    this.cwd = options.cwd
  }

  /** The items since the last call. */
  take(): readonly TranscriptItem[] {
    const taken = this.items
    this.items = []
    return taken
  }

  facts(): TranscriptFacts {
    const { sessionKey, cwd, gitBranch } = this
    return {
      ...(sessionKey === undefined ? {} : { sessionKey }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(gitBranch === undefined ? {} : { gitBranch }),
    }
  }

  learn(facts: {
    time?: unknown
    session?: unknown
    cwd?: unknown
    branch?: unknown
    version?: unknown
    model?: unknown
  }): void {
    this.at = timeOf(facts.time, this.at)
    const key = bounded(facts.session, BOUNDS.word)
    this.sessionKey ??= key === undefined ? undefined : SessionKey(key)
    this.cwd ??= boundedPath(facts.cwd)
    this.gitBranch = bounded(facts.branch, BOUNDS.word) ?? this.gitBranch
    this.version = bounded(facts.version, BOUNDS.word) ?? this.version
    this.model = bounded(facts.model, BOUNDS.word) ?? this.model
  }

  prompt(text: string | undefined, key: string): void {
    const prompt = text === undefined ? undefined : bounded(withoutOwnText(text), BOUNDS.prompt)
    if (prompt !== undefined) this.add({ kind: 'prompt-submitted', ...this.base('prompt-submitted', key), prompt })
  }

  statement(text: string | undefined): void {
    const said = text === undefined ? undefined : bounded(withoutOwnText(text), BOUNDS.message)
    if (said !== undefined)
      this.note({ kind: 'statement', text: said, ...(this.at === undefined ? {} : { at: this.at }) })
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
    this.pending.set(key, tool)
    const oldest = this.pending.size > MAX_PENDING ? this.pending.keys().next().value : undefined
    if (oldest !== undefined) this.pending.delete(oldest)
  }

  /** A result without its call says nothing. */
  finished(key: string, outcome: RawOutcome): void {
    const tool = this.pending.get(key)
    if (tool === undefined) return
    this.pending.delete(key)
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

  /** Where no hook tells that the session goes on with less than it knew. */
  startedAfterCompaction(key: string): void {
    this.add({ kind: 'session-started', ...this.base('session-started', key), source: 'compact' })
  }

  /** What was under way, and how full the context was, when the transcript ended. */
  end(): readonly TranscriptItem[] {
    // Beside a running session a call without a result is only one that is not over yet.
    const underWay = this.options.mode === 'history' ? this.pending : []
    for (const [key, tool] of underWay) this.add({ kind: 'tool-started', ...this.base('tool-started', key), tool })
    this.pending.clear()
    if (this.context !== undefined) this.note(this.context)
    return this.take()
  }

  private base(kind: SessionEvent['kind'], key: string) {
    const { version, cwd } = this
    const { transcriptPath, subagent } = this.options
    return eventBase(
      {
        harness: this.harness,
        sessionKey: this.sessionKey ?? SessionKey('unknown'),
        at: this.at ?? timeOf(undefined),
        ...(version === undefined ? {} : { harnessVersion: version }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(transcriptPath === undefined ? {} : { transcriptPath }),
        ...(subagent === undefined ? {} : { subagent }),
      },
      kind,
      key,
    )
  }

  private add(event: SessionEvent): void {
    if (this.known.has(event.id)) return
    this.known.add(event.id)
    this.items.push({ type: 'event', event })
  }

  private note(note: TranscriptNote): void {
    this.items.push({ type: 'note', note })
  }
}

/** A reader of records that stand for themselves: no result without its call, and no subagent with a file of its own. */
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
