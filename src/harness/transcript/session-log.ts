import type { EventOf, SessionEvent, ToolCall, TranscriptItem, TranscriptNote } from '../../kernel/event.ts'
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

/** A command without an exit status that has an id continues after its call. */
function isLeftRunning({ command }: ToolCall, { backgroundId, exitStatus }: RawOutcome): boolean {
  return backgroundId !== undefined && command !== undefined && exitStatus === undefined
}

type PromptEvent = EventOf<'prompt-submitted'>

/** In the session's folder: `git -C` is about another one. */
const GIT_SWITCH = /(?:^|[;&|]\s*)git\s+(?:checkout|switch)\b/
const SWITCHED = /^Switched to (?:a new )?branch '([^'\n]+)'/m

/** Shared by the readers of whole sessions: they name what happened, and this makes events and notes of it. */
export class SessionLog {
  private readonly session: SessionFacts
  private readonly calls = new OpenCalls<ToolCall>()
  private readonly seen = new SeenEvents()
  private items: TranscriptItem[] = []
  private context: TranscriptNote | undefined
  private version: string | undefined
  private model: string | undefined
  /** What the agent said since its last call and the last prompt. */
  private lastSaid: string | undefined

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

  prompt(text: string | undefined, key: string, more: Pick<PromptEvent, 'isQueued' | 'expansion'> = {}): void {
    const prompt = text === undefined ? undefined : boundedPrompt(withoutOwnText(text))
    if (prompt === undefined) return
    if (more.isQueued !== true) this.closeTurn(key)
    this.add({ kind: 'prompt-submitted', ...this.base('prompt-submitted', key), prompt, ...more })
  }

  statement(text: string | undefined): void {
    const said = text === undefined ? undefined : bounded(withoutOwnText(text), BOUNDS.message)
    const { at } = this.session
    if (said === undefined) return
    this.lastSaid = said
    this.note({ kind: 'statement', text: said, ...(at === undefined ? {} : { at }) })
  }

  /** The agent finished its turn with its last statement, or with this one. `key`: as the hook for it has. */
  turnEnded(key: string, text = this.lastSaid): void {
    this.lastSaid = undefined
    const lastMessage = text === undefined ? undefined : bounded(withoutOwnText(text), BOUNDS.message)
    if (lastMessage !== undefined) this.add({ kind: 'turn-ended', ...this.base('turn-ended', key), lastMessage })
  }

  /** What the agent said before the user's next prompt, and after its last call, ended its turn. */
  private closeTurn(nextPrompt: string): void {
    // Beside a running session the hooks report it.
    if (this.options.mode === 'history') this.turnEnded(`before-${nextPrompt}`)
  }

  /** The user stopped the agent: what it said last is not its final message. */
  turnAborted(): void {
    this.lastSaid = undefined
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
    this.lastSaid = undefined
    this.calls.begin(key, tool)
  }

  /** A result without its call is dropped. */
  finished(key: string, outcome: RawOutcome): void {
    const tool = this.calls.finish(key)
    if (tool === undefined) return
    const result = readOutcome(tool.kind, outcome)
    // A harness that names the branch in each record corrects this with the next one.
    const branch = GIT_SWITCH.test(tool.command ?? '') ? SWITCHED.exec(result.output ?? '')?.[1] : undefined
    if (branch !== undefined && this.options.subagent === undefined)
      this.session.learn({ time: this.session.at, branch })
    this.add({
      kind: 'tool-finished',
      ...this.base('tool-finished', key),
      tool: isLeftRunning(tool, outcome) ? { ...tool, isBackground: true } : tool,
      outcome: result,
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
