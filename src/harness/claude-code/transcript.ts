import type { SessionEvent, SubagentRef, TranscriptItem, TranscriptNote } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt } from '../payload/bounds.ts'
import { CLAUDE_CODE } from './events.ts'
import { type RawToolCall, readFailure, readSuccess, readToolCall } from './tools.ts'
import { readUserText } from './user-text.ts'
import { contentText, isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/own-text.ts'
import { type EventFacts, eventBase } from '../transcript/event-base.ts'
import { OpenCalls } from '../transcript/open-calls.ts'
import type { ReaderOptions, RecordReader, TranscriptFacts } from '../transcript/record-reader.ts'
import { SeenEvents } from '../transcript/seen-events.ts'
import { SessionFacts } from '../transcript/session-facts.ts'

const REFUSED = "The user doesn't want to proceed with this tool use."
const USER_SAID = 'the user said:\n'

const asEvent = (event: SessionEvent): TranscriptItem => ({ type: 'event', event })
const asNote = (note: TranscriptNote): TranscriptItem => ({ type: 'note', note })

/** What the user answered when refusing a tool: their words, though no prompt of theirs. */
function wordsOfRefusal(text: string | undefined): string | undefined {
  if (text?.startsWith(REFUSED) !== true) return undefined
  const at = text.indexOf(USER_SAID)
  return at < 0 ? undefined : boundedPrompt(text.slice(at + USER_SAID.length))
}

/** An agent that quotes what we told it has not said it. */
function ownWords(text: string | undefined, maxChars: number): string | undefined {
  return text === undefined ? undefined : bounded(withoutOwnText(text), maxChars)
}

function contextTokensOf(usage: JsonObject): number | undefined {
  const parts = [
    usage.input_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.output_tokens,
  ]
  const numbers = parts.flatMap((part) => numberOf(part) ?? [])
  return numbers.length === 0 ? undefined : numbers.reduce((sum, part) => sum + part, 0)
}

class ClaudeCodeReader implements RecordReader {
  private readonly session: SessionFacts
  private readonly calls = new OpenCalls<RawToolCall>()
  private readonly seen = new SeenEvents()
  private finishedSubagents: string[] = []
  private context: TranscriptNote | undefined
  private model: string | undefined

  constructor(private readonly options: ReaderOptions) {
    this.session = new SessionFacts(options)
  }

  prime(record: JsonObject): void {
    if (record.type === 'assistant') this.learnCalls(record)
  }

  read(record: JsonObject): readonly TranscriptItem[] {
    const { timestamp: time, sessionId: session, cwd, gitBranch: branch } = record
    this.session.learn({ time, session, cwd, branch })
    return this.itemsOf(record).filter((item) => item.type === 'note' || this.seen.isNew(item.event))
  }

  end(): readonly TranscriptItem[] {
    const { context } = this
    this.context = undefined
    const underWay = this.options.mode === 'history' ? this.calls.takeAll() : []
    return [
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
    return this.session.told()
  }

  takeFinishedSubagents(): readonly string[] {
    const taken = this.finishedSubagents
    this.finishedSubagents = []
    return taken
  }

  private eventFacts(record: JsonObject, subagent = this.subagentOf(record)): EventFacts {
    const harnessVersion = bounded(record.version, BOUNDS.word)
    return this.session.eventFacts({ harness: CLAUDE_CODE, harnessVersion, cwd: boundedPath(record.cwd), subagent })
  }

  private subagentOf(record: JsonObject): SubagentRef | undefined {
    return record.isSidechain === true ? { id: bounded(record.agentId, BOUNDS.word) ?? 'sidechain' } : undefined
  }

  private itemsOf(record: JsonObject): readonly TranscriptItem[] {
    switch (record.type) {
      case 'assistant':
        return this.assistantItems(record)
      case 'user':
        return this.userItems(record)
      case 'system':
        return record.subtype === 'compact_boundary' ? this.boundaryItems(record) : []
      case 'attachment':
        return this.queuedPrompt(record)
      default:
        return []
    }
  }

  private assistantItems(record: JsonObject): readonly TranscriptItem[] {
    this.learnCalls(record)
    const message = objectOf(record.message)
    const isSynthetic = record.isApiErrorMessage === true || message.model === '<synthetic>'
    if (record.isSidechain === true || isSynthetic) return []
    this.model = bounded(message.model, BOUNDS.word) ?? this.model
    // Several lines of one response repeat its usage: the latest stands for all of them.
    const contextTokens = contextTokensOf(objectOf(message.usage))
    if (contextTokens !== undefined) this.measure(contextTokens)
    return listOf(message.content).flatMap((block) => {
      const { type, text } = objectOf(block)
      const said = type === 'text' ? ownWords(textOf(text), BOUNDS.message) : undefined
      return said === undefined ? [] : [asNote({ kind: 'statement', text: said, at: this.session.at })]
    })
  }

  private measure(contextTokens: number): void {
    this.context = {
      kind: 'context-measured',
      contextTokens,
      ...(this.model === undefined ? {} : { model: this.model }),
    }
  }

  private learnCalls(record: JsonObject): void {
    for (const block of listOf(objectOf(record.message).content)) {
      const { type, id, name, input } = objectOf(block)
      if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') continue
      this.calls.begin(id, { name, input, callId: id })
    }
  }

  private userItems(record: JsonObject): readonly TranscriptItem[] {
    const { content } = objectOf(record.message)
    if (record.isCompactSummary === true) {
      const shown = ownWords(contentText(content), BOUNDS.summary)
      return shown === undefined || record.isSidechain === true ? [] : [asNote({ kind: 'summary-shown', text: shown })]
    }
    const results = listOf(content).filter((block) => objectOf(block).type === 'tool_result')
    if (results.length > 0) return results.flatMap((block) => this.resultItems(record, objectOf(block)))
    const isTheirs = record.isMeta !== true && record.isSidechain !== true && record.isVisibleInTranscriptOnly !== true
    return isTheirs ? this.promptItems(record, contentText(content), textOf(record.promptId)) : []
  }

  private promptItems(record: JsonObject, text: string | undefined, promptId: string | undefined) {
    const key = promptId ?? (this.options.mode === 'history' ? textOf(record.uuid) : undefined)
    const prompt = text === undefined ? undefined : boundedPrompt(readUserText(text))
    if (key === undefined || prompt === undefined) return []
    const base = eventBase(this.eventFacts(record), 'prompt-submitted', key)
    return [asEvent({ kind: 'prompt-submitted', ...base, prompt, ...(promptId === undefined ? {} : { promptId }) })]
  }

  /** A prompt typed while the agent was working is shown to the model as an attachment. */
  private queuedPrompt(record: JsonObject): readonly TranscriptItem[] {
    const attachment = objectOf(record.attachment)
    const isPrompt = attachment.type === 'queued_command' && (attachment.commandMode ?? 'prompt') === 'prompt'
    if (!isPrompt || record.isSidechain === true || record.isMeta === true) return []
    return this.promptItems(record, contentText(attachment.prompt), textOf(record.promptId))
  }

  private resultItems(record: JsonObject, block: JsonObject): readonly TranscriptItem[] {
    const callId = textOf(block.tool_use_id)
    const call = callId === undefined ? undefined : this.calls.finish(callId)
    if (callId === undefined || call === undefined) return []
    const shown = contentText(block.content)
    const result = isObject(record.toolUseResult) ? record.toolUseResult : shown
    const tool = readToolCall({ ...call, callId: bounded(callId, BOUNDS.word), response: result })
    const isRefused = shown?.startsWith(REFUSED) === true
    const outcome =
      block.is_error === true
        ? readFailure(tool, shown, { interrupted: isRefused })
        : readSuccess(tool, result, numberOf(objectOf(record.toolUseResult).durationMs))
    const base = eventBase(this.eventFacts(record), 'tool-finished', callId)
    const said = wordsOfRefusal(shown)
    return [
      ...this.subagentItems(record, call),
      asEvent({ kind: 'tool-finished', ...base, tool, outcome }),
      ...(said === undefined
        ? []
        : [
            asEvent({
              kind: 'prompt-submitted',
              ...eventBase(this.eventFacts(record), 'prompt-submitted', callId),
              prompt: said,
            }),
          ]),
    ]
  }

  /** An agent call's result names the subagent that did the work; its own hooks may have been missed. */
  private subagentItems(record: JsonObject, call: RawToolCall): readonly TranscriptItem[] {
    const result = objectOf(record.toolUseResult)
    const id = bounded(result.agentId, BOUNDS.word)
    if ((call.name !== 'Agent' && call.name !== 'Task') || id === undefined || result.status !== 'completed') return []
    this.finishedSubagents.push(id)
    const type = bounded(result.agentType ?? objectOf(call.input).subagent_type, BOUNDS.word)
    const facts = this.eventFacts(record, { id, ...(type === undefined ? {} : { type }) })
    const lastMessage = bounded(contentText(result.content), BOUNDS.message)
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
    const metadata = objectOf(record.compactMetadata)
    const tokensBefore = numberOf(metadata.preTokens)
    const tokensAfter = numberOf(metadata.postTokens)
    if (record.isSidechain === true) return []
    if (tokensAfter !== undefined) this.measure(tokensAfter)
    const uuid = textOf(record.uuid)
    // The hook that tells of the same compaction does not know this record, so beside hooks it would be counted twice.
    if (this.options.mode === 'live' || uuid === undefined) return []
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

/** Ids of calls whose results stand in these records while the calls themselves stand earlier. */
export function missingCalls(records: readonly JsonObject[]): ReadonlySet<string> {
  const made = new Set<string>()
  const missing = new Set<string>()
  for (const record of records) {
    for (const block of listOf(objectOf(record.message).content)) {
      const { type, id, tool_use_id } = objectOf(block)
      if (type === 'tool_use' && typeof id === 'string') made.add(id)
      if (type === 'tool_result' && typeof tool_use_id === 'string' && !made.has(tool_use_id)) missing.add(tool_use_id)
    }
  }
  return missing
}
