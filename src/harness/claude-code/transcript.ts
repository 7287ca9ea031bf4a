import type { EventOf, SessionEvent, SubagentRef, TranscriptItem, TranscriptNote } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt } from '../payload/bounds.ts'
import { CLAUDE_CODE } from './events.ts'
import { readEnd, readFailure, readNotice, readSuccess } from './outcomes.ts'
import { PromptQueue } from './queue.ts'
import { type RawToolCall, readToolCall } from './tools.ts'
import { readUsage, sumContextTokens } from './usage.ts'
import { readExpansion, readUserText, withoutInjections } from './user-text.ts'
import {
  readContentText,
  isObject,
  type JsonObject,
  asList,
  asNumber,
  asObject,
  asText,
} from '../../kernel/json-shape.ts'
import { factKey } from '../payload/event-base.ts'
import { type EventFacts, eventBase, SessionFacts } from '../transcript/session-facts.ts'
import { OpenCalls, SeenEvents } from '../transcript/session-log.ts'
import { transcriptsFolder } from './paths.ts'
import type { ReaderOptions, RecordReader, TranscriptFacts, TranscriptFormat } from '../contract/transcript-format.ts'
import { readSubagentFile } from './subagent-file.ts'

/** Records that Claude Code writes when a turn has ended. */
const TURN_ENDS = new Set<unknown>(['stop_hook_summary', 'turn_duration'])
const INTERRUPTED = '[Request interrupted by user'

const asEvent = (event: SessionEvent): TranscriptItem => ({ type: 'event', event })
const asNote = (note: TranscriptNote): TranscriptItem => ({ type: 'note', note })

class ClaudeCodeReader implements RecordReader {
  private readonly session: SessionFacts
  private readonly calls = new OpenCalls<RawToolCall>()
  private readonly seen = new SeenEvents()
  private readonly queue = new PromptQueue()
  /** What the agent said since its last call and the last prompt: its turn's final message, once the turn has ended. */
  private lastSaid: { readonly text: string; readonly isEnd: boolean } | undefined
  /** A slash command whose expansion may follow. */
  private command: EventOf<'prompt-submitted'> | undefined
  private finishedSubagents: string[] = []
  private context: TranscriptNote | undefined
  private model: string | undefined

  constructor(private readonly options: ReaderOptions) {
    this.session = new SessionFacts(options)
  }

  prime(record: JsonObject): void {
    if (record.type !== 'assistant') return
    this.learnCalls(record)
    this.queue.noteWork()
  }

  read(record: JsonObject): readonly TranscriptItem[] {
    const { timestamp: time, sessionId: session, cwd, gitBranch: branch } = record
    this.session.learn({ time, session, cwd, branch })
    return this.onlyNew([...this.takeCommand(record), ...this.readRecord(record)])
  }

  private onlyNew(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
    return items.filter((item) => item.type === 'note' || this.seen.isNew(item.event))
  }

  /** The slash command before this record, with what it stands for if this record says so. */
  private takeCommand(record: JsonObject): readonly TranscriptItem[] {
    const { command } = this
    if (command === undefined || (record.type !== 'user' && record.type !== 'assistant')) return []
    this.command = undefined
    const isExpansion = record.type === 'user' && record.isMeta === true && record.sourceToolUseID === undefined
    const shown = isExpansion ? readContentText(asObject(record.message).content) : undefined
    const expansion = shown === undefined ? undefined : readExpansion(shown)
    return [asEvent({ ...command, ...(expansion === undefined ? {} : { expansion }) })]
  }

  end(): readonly TranscriptItem[] {
    const { context } = this
    this.context = undefined
    const underWay = this.options.mode === 'history' ? this.calls.takeAll() : []
    const { command } = this
    this.command = undefined
    return [
      ...(this.lastSaid?.isEnd === true ? this.turnItems({}, 'end') : []),
      ...this.onlyNew([
        ...(command === undefined ? [] : [asEvent(command)]),
        ...this.queue.takeAll().map((prompt) => this.queuedItem({}, prompt)),
      ]),
      ...underWay.map(([key, call]) =>
        asEvent({
          kind: 'tool-started',
          ...eventBase(this.eventFacts({}), 'tool-started', key),
          tool: readToolCall(call),
        }),
      ),
      ...(context === undefined ? [] : [asNote(context)]),
    ]
  }

  facts(): TranscriptFacts {
    return this.session.toFacts()
  }

  takeFinishedSubagents(): readonly string[] {
    const taken = this.finishedSubagents
    this.finishedSubagents = []
    return taken
  }

  private eventFacts(record: JsonObject, subagent = this.findSubagent(record)): EventFacts {
    const harnessVersion = bounded(record.version, BOUNDS.word)
    return this.session.eventFacts({ harness: CLAUDE_CODE, harnessVersion, cwd: boundedPath(record.cwd), subagent })
  }

  private findSubagent(record: JsonObject): SubagentRef | undefined {
    return record.isSidechain === true ? { id: bounded(record.agentId, BOUNDS.word) ?? 'sidechain' } : undefined
  }

  private readRecord(record: JsonObject): readonly TranscriptItem[] {
    switch (record.type) {
      case 'assistant':
        return this.assistantItems(record)
      case 'user':
        return this.userItems(record)
      case 'system':
        if (record.subtype === 'compact_boundary') return this.boundaryItems(record)
        return TURN_ENDS.has(record.subtype) ? this.turnItems(record, asText(record.uuid) ?? 'stop') : []
      case 'attachment':
        return this.queuedPrompt(record)
      case 'queue-operation':
        return this.queueItems(record)
      default:
        return []
    }
  }

  private assistantItems(record: JsonObject): readonly TranscriptItem[] {
    this.learnCalls(record)
    if (record.isSidechain !== true) this.queue.noteWork()
    const message = asObject(record.message)
    const isSynthetic = record.isApiErrorMessage === true || message.model === '<synthetic>'
    if (record.isSidechain === true || isSynthetic) return []
    this.model = bounded(message.model, BOUNDS.word) ?? this.model
    // Several lines of one response repeat its usage; the latest counts.
    const contextTokens = sumContextTokens(asObject(message.usage))
    if (contextTokens !== undefined) this.measure(contextTokens)
    return asList(message.content).flatMap((block) => {
      const { type, text } = asObject(block)
      const said = type === 'text' ? withoutInjections(asText(text), BOUNDS.message) : undefined
      if (said !== undefined) this.lastSaid = { text: said, isEnd: message.stop_reason === 'end_turn' }
      else if (type === 'tool_use') this.lastSaid = undefined
      return said === undefined ? [] : [asNote({ kind: 'statement', text: said, at: this.session.at })]
    })
  }

  /** The end of a turn, with the agent's last words in it. Beside a running session the hook reports it. */
  private turnItems(record: JsonObject, key: string): readonly TranscriptItem[] {
    const { lastSaid } = this
    if (lastSaid === undefined || record.isSidechain === true) return []
    this.lastSaid = undefined
    if (this.options.mode === 'live') return []
    const base = eventBase(this.eventFacts(record), 'turn-ended', key)
    return [asEvent({ kind: 'turn-ended', ...base, lastMessage: lastSaid.text })]
  }

  private measure(contextTokens: number): void {
    this.context = {
      kind: 'context-measured',
      contextTokens,
      ...(this.model === undefined ? {} : { model: this.model }),
    }
  }

  private learnCalls(record: JsonObject): void {
    for (const block of asList(asObject(record.message).content)) {
      const { type, id, name, input } = asObject(block)
      if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') continue
      this.calls.begin(id, { name, input, callId: id })
    }
  }

  private userItems(record: JsonObject): readonly TranscriptItem[] {
    const { content } = asObject(record.message)
    if (record.isCompactSummary === true) {
      const shown = withoutInjections(readContentText(content), BOUNDS.summary)
      return shown === undefined || record.isSidechain === true ? [] : [asNote({ kind: 'summary-shown', text: shown })]
    }
    const blocks = asList(content).map(asObject)
    const results = blocks.filter((block) => block.type === 'tool_result')
    if (results.length > 0)
      return [...results.flatMap((block) => this.resultItems(record, block)), ...this.besideResult(record, blocks)]
    const isTheirs = record.isMeta !== true && record.isSidechain !== true && record.isVisibleInTranscriptOnly !== true
    return isTheirs ? this.promptItems(record, readContentText(content)) : []
  }

  private promptItems(record: JsonObject, text: string | undefined): readonly TranscriptItem[] {
    if (text === undefined) return []
    const ends = this.endItems(record, text)
    if (ends.length > 0) return ends
    if (text.startsWith(INTERRUPTED)) this.lastSaid = undefined
    const promptId = asText(record.promptId)
    const key = promptId ?? (this.options.mode === 'history' ? asText(record.uuid) : undefined)
    const prompt = boundedPrompt(readUserText(text))
    if (prompt === undefined) return []
    const isQueued = this.queue.take(prompt)
    if (key === undefined) return []
    const event: EventOf<'prompt-submitted'> = {
      kind: 'prompt-submitted',
      ...eventBase(this.eventFacts(record), 'prompt-submitted', key),
      prompt,
      ...(promptId === undefined ? {} : { promptId }),
      ...(isQueued ? { isQueued } : {}),
    }
    const ended = isQueued ? [] : this.turnItems(record, `before-${key}`)
    if (!text.trimStart().startsWith('<command-message>')) return [...ended, asEvent(event)]
    this.command = event
    return ended
  }

  /** What the user typed when allowing a call comes beside its result. */
  private besideResult(record: JsonObject, blocks: readonly JsonObject[]): readonly TranscriptItem[] {
    if (record.isSidechain === true || record.isMeta === true) return []
    return blocks
      .filter((block) => block.type === 'text')
      .flatMap((block) => {
        const prompt = boundedPrompt(readUserText(asText(block.text) ?? ''))
        return prompt === undefined ? [] : [this.queuedItem(record, prompt)]
      })
  }

  /** The end of something in the background, of which the harness notifies its model. */
  private endItems(record: JsonObject, text: string): readonly TranscriptItem[] {
    return readNotice(text).map((end) => {
      const base = eventBase(this.eventFacts(record), 'tool-finished', `bg-${end.id}`)
      return asEvent({ kind: 'tool-finished', ...base, ...readEnd(end) })
    })
  }

  /** By its text: nothing in the record of a queued message identifies it, and it is recorded more than once. */
  private queuedItem(record: JsonObject, prompt: string): TranscriptItem {
    const base = eventBase(this.eventFacts(record), 'prompt-submitted', `queued.${factKey(prompt)}`)
    return asEvent({ kind: 'prompt-submitted', ...base, prompt, isQueued: true })
  }

  private queueItems(record: JsonObject): readonly TranscriptItem[] {
    const content = asText(record.content) ?? ''
    switch (record.operation) {
      case 'enqueue': {
        const prompt = content.startsWith('{"task_id"') ? undefined : boundedPrompt(readUserText(content))
        if (prompt !== undefined) this.queue.add(prompt)
        return this.endItems(record, content)
      }
      case 'remove': {
        const prompt = this.queue.remove(asText(record.reason))
        return prompt === undefined ? [] : [this.queuedItem(record, prompt)]
      }
      case 'popAll':
        this.queue.clear()
        return []
      default:
        return []
    }
  }

  /** A prompt typed while the agent was working is shown to the model as an attachment. */
  private queuedPrompt(record: JsonObject): readonly TranscriptItem[] {
    const attachment = asObject(record.attachment)
    if (attachment.type !== 'queued_command' || record.isSidechain === true) return []
    const text = readContentText(attachment.prompt) ?? ''
    const ends = this.endItems(record, text)
    const isTheirs =
      (attachment.commandMode ?? 'prompt') === 'prompt' &&
      (asObject(attachment.origin).kind ?? 'human') === 'human' &&
      record.isMeta !== true &&
      attachment.isMeta !== true
    const prompt = isTheirs ? boundedPrompt(readUserText(text)) : undefined
    if (prompt === undefined) return ends
    this.queue.show(prompt)
    return [this.queuedItem(record, prompt)]
  }

  private resultItems(record: JsonObject, block: JsonObject): readonly TranscriptItem[] {
    const callId = asText(block.tool_use_id)
    const call = callId === undefined ? undefined : this.calls.finish(callId)
    if (record.isSidechain !== true) this.queue.noteWork()
    if (callId === undefined || call === undefined) return []
    const shown = readContentText(block.content)
    const response = isObject(record.toolUseResult) ? record.toolUseResult : shown
    const tool = readToolCall({ ...call, callId: bounded(callId, BOUNDS.word), response })
    const durationMs = asNumber(asObject(record.toolUseResult).durationMs)
    const outcome =
      block.is_error === true
        ? readFailure(tool, shown)
        : readSuccess(tool, { response, input: call.input, durationMs })
    const base = eventBase(this.eventFacts(record), 'tool-finished', callId)
    return [...this.subagentItems(record, call), asEvent({ kind: 'tool-finished', ...base, tool, outcome })]
  }

  /** The result of an agent call names the subagent that did the work; its own hooks may have been missed. */
  private subagentItems(record: JsonObject, call: RawToolCall): readonly TranscriptItem[] {
    const result = asObject(record.toolUseResult)
    const id = bounded(result.agentId, BOUNDS.word)
    if ((call.name !== 'Agent' && call.name !== 'Task') || id === undefined || result.status !== 'completed') return []
    this.finishedSubagents.push(id)
    const type = bounded(result.agentType ?? asObject(call.input).subagent_type, BOUNDS.word)
    const facts = this.eventFacts(record, { id, ...(type === undefined ? {} : { type }) })
    const lastMessage = bounded(readContentText(result.content), BOUNDS.message)
    return [
      asEvent({ kind: 'subagent-started', ...eventBase(facts, 'subagent-started', id) }),
      asEvent({
        kind: 'subagent-finished',
        ...eventBase(facts, 'subagent-finished', id),
        ...(lastMessage === undefined ? {} : { lastMessage }),
      }),
    ]
  }

  private boundaryItems(record: JsonObject): readonly TranscriptItem[] {
    const metadata = asObject(record.compactMetadata)
    const tokensBefore = asNumber(metadata.preTokens)
    const tokensAfter = asNumber(metadata.postTokens)
    if (record.isSidechain === true) return []
    if (tokensAfter !== undefined) this.measure(tokensAfter)
    const uuid = asText(record.uuid)
    // The hook for the same compaction does not know this record's id, so both would be counted.
    if (this.options.mode === 'live' || uuid === undefined) return []
    // A call without a result before a compaction never gets one.
    this.calls.takeAll()
    const trigger = metadata.trigger === 'manual' || metadata.trigger === 'auto' ? metadata.trigger : undefined
    return [
      asEvent({
        kind: 'compaction-finished',
        ...eventBase(this.eventFacts(record), 'compaction-finished', uuid),
        ...(trigger === undefined ? {} : { trigger }),
        ...(tokensBefore === undefined ? {} : { tokensBefore }),
        ...(tokensAfter === undefined ? {} : { tokensAfter }),
      }),
    ]
  }
}

export function createClaudeCodeReader(options: ReaderOptions): RecordReader {
  return new ClaudeCodeReader(options)
}

/** Ids of what these records refer to while it is in earlier ones: calls of results, and the work that a message waits for. */
function missingCalls(records: readonly JsonObject[]): ReadonlySet<string> {
  const made = new Set<string>()
  const missing = new Set<string>()
  const lastOperation = records.findLast((record) => record.type === 'queue-operation')
  // Whether a message waits for the agent or for its start is in earlier records.
  if (lastOperation?.operation === 'enqueue') missing.add('queue')
  for (const record of records) {
    for (const block of asList(asObject(record.message).content)) {
      const { type, id, tool_use_id } = asObject(block)
      if (type === 'tool_use' && typeof id === 'string') made.add(id)
      if (type === 'tool_result' && typeof tool_use_id === 'string' && !made.has(tool_use_id)) missing.add(tool_use_id)
    }
  }
  return missing
}

export const claudeCodeTranscript: TranscriptFormat = {
  createReader: createClaudeCodeReader,
  missingCalls,
  readUsage,
  readSubagent: (options, agentId) => readSubagentFile(options, agentId, createClaudeCodeReader),
  isOwnRecord: ({ sessionId, uuid, type }) => typeof sessionId === 'string' && (uuid !== undefined || type === 'mode'),
  findHistory: async (ports, list) => (await list(transcriptsFolder(ports))).map((path) => ({ path })),
}
