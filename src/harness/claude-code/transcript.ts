import type { SessionEvent, SubagentRef, TranscriptItem, TranscriptNote } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt } from '../payload/bounds.ts'
import { CLAUDE_CODE, readUserText } from './events.ts'
import { type RawToolCall, readFailure, readSuccess, readToolCall } from './tools.ts'
import {
  readContentText,
  isObject,
  type JsonObject,
  asList,
  asNumber,
  asObject,
  asText,
} from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { type EventFacts, eventBase, SessionFacts } from '../transcript/session-facts.ts'
import { OpenCalls, SeenEvents } from '../transcript/session-log.ts'
import { configDir } from './paths.ts'
import type { ReaderOptions, RecordReader, TranscriptFacts, TranscriptFormat } from '../contract/transcript-format.ts'
import { dirname, extname, join } from 'node:path'
import { parseLine, readAppended } from '../transcript/append-log.ts'

const PLAIN_ID = /^[\w-]{1,80}$/
const LIMITS = { chunkBytes: 2 * 1_048_576, backlogBytes: 2 * 1_048_576 }

/** The events of a finished subagent, from the file that Claude Code writes for it beside the session's; never its statements. */
async function readSubagentFile(options: ReaderOptions, agentId: string): Promise<readonly TranscriptItem[]> {
  const path = options.transcriptPath
  if (path === undefined || !PLAIN_ID.test(agentId)) return []
  const folder = path.slice(0, path.length - extname(path).length)
  if (folder === path || dirname(folder) === folder) return []
  const { lines } = await readAppended(join(folder, 'subagents', `agent-${agentId}.jsonl`), 0, LIMITS)
  const reader = createClaudeCodeReader({ ...options, mode: 'live' })
  return lines.flatMap((line) => {
    const record = parseLine(line.text)
    const items = record === undefined ? [] : reader.read({ ...record, isSidechain: true, agentId })
    return items.filter((item) => item.type === 'event')
  })
}

const REFUSED = "The user doesn't want to proceed with this tool use."
const USER_SAID = 'the user said:\n'

const asEvent = (event: SessionEvent): TranscriptItem => ({ type: 'event', event })
const asNote = (note: TranscriptNote): TranscriptItem => ({ type: 'note', note })

/** The words of a user who refused a tool: a request, though it was not typed as a prompt. */
function findRefusalReason(text: string | undefined): string | undefined {
  if (text?.startsWith(REFUSED) !== true) return undefined
  const at = text.indexOf(USER_SAID)
  return at < 0 ? undefined : boundedPrompt(text.slice(at + USER_SAID.length))
}

/** Text that an agent quotes from our injections is not its own statement. */
function withoutInjections(text: string | undefined, maxChars: number): string | undefined {
  return text === undefined ? undefined : bounded(withoutOwnText(text), maxChars)
}

function sumContextTokens(usage: JsonObject): number | undefined {
  const parts = [
    usage.input_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.output_tokens,
  ]
  const numbers = parts.flatMap((part) => asNumber(part) ?? [])
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
    return this.readRecord(record).filter((item) => item.type === 'note' || this.seen.isNew(item.event))
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
        return record.subtype === 'compact_boundary' ? this.boundaryItems(record) : []
      case 'attachment':
        return this.queuedPrompt(record)
      default:
        return []
    }
  }

  private assistantItems(record: JsonObject): readonly TranscriptItem[] {
    this.learnCalls(record)
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
    const results = asList(content).filter((block) => asObject(block).type === 'tool_result')
    if (results.length > 0) return results.flatMap((block) => this.resultItems(record, asObject(block)))
    const isTheirs = record.isMeta !== true && record.isSidechain !== true && record.isVisibleInTranscriptOnly !== true
    return isTheirs ? this.promptItems(record, readContentText(content), asText(record.promptId)) : []
  }

  private promptItems(record: JsonObject, text: string | undefined, promptId: string | undefined) {
    const key = promptId ?? (this.options.mode === 'history' ? asText(record.uuid) : undefined)
    const prompt = text === undefined ? undefined : boundedPrompt(readUserText(text))
    if (key === undefined || prompt === undefined) return []
    const base = eventBase(this.eventFacts(record), 'prompt-submitted', key)
    return [asEvent({ kind: 'prompt-submitted', ...base, prompt, ...(promptId === undefined ? {} : { promptId }) })]
  }

  /** A prompt typed while the agent was working is shown to the model as an attachment. */
  private queuedPrompt(record: JsonObject): readonly TranscriptItem[] {
    const attachment = asObject(record.attachment)
    const isPrompt = attachment.type === 'queued_command' && (attachment.commandMode ?? 'prompt') === 'prompt'
    if (!isPrompt || record.isSidechain === true || record.isMeta === true) return []
    return this.promptItems(record, readContentText(attachment.prompt), asText(record.promptId))
  }

  private resultItems(record: JsonObject, block: JsonObject): readonly TranscriptItem[] {
    const callId = asText(block.tool_use_id)
    const call = callId === undefined ? undefined : this.calls.finish(callId)
    if (callId === undefined || call === undefined) return []
    const shown = readContentText(block.content)
    const result = isObject(record.toolUseResult) ? record.toolUseResult : shown
    const tool = readToolCall({ ...call, callId: bounded(callId, BOUNDS.word), response: result })
    const isRefused = shown?.startsWith(REFUSED) === true
    const outcome =
      block.is_error === true
        ? readFailure(tool, shown, { interrupted: isRefused })
        : readSuccess(tool, result, asNumber(asObject(record.toolUseResult).durationMs))
    const base = eventBase(this.eventFacts(record), 'tool-finished', callId)
    const said = findRefusalReason(shown)
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

/** Ids of calls whose results are in these records while the calls themselves are in earlier ones. */
function missingCalls(records: readonly JsonObject[]): ReadonlySet<string> {
  const made = new Set<string>()
  const missing = new Set<string>()
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
  readSubagent: readSubagentFile,
  isOwnRecord: ({ sessionId, uuid, type }) => typeof sessionId === 'string' && (uuid !== undefined || type === 'mode'),
  findHistory: async (ports, list) => (await list(join(configDir(ports), 'projects'))).map((path) => ({ path })),
}
