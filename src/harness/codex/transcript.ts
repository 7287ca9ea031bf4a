import type { MessageUsage } from '../../kernel/context-meter.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import { CODEX, promptKey, readGivenAnswers, readResult, readUserText, turnEndKey } from './events.ts'
import {
  readContentText,
  isObject,
  type JsonObject,
  asList,
  asNumber,
  asObject,
  asText,
} from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import type { ReaderOptions, RecordReader, TranscriptFormat } from '../contract/transcript-format.ts'
import { join } from 'node:path'
import { codexHome } from './paths.ts'
import { SessionLog } from '../transcript/session-log.ts'

const RUNNING = /^Process running with session ID (\d+)$/m

function parseArguments(payload: JsonObject): unknown {
  const text = asText(payload.arguments)
  if (text === undefined) return payload.input
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch {
    // A model may write arguments that are not JSON; the call still happened.
    return text
  }
}

/** Codex 0.166 marks text that a person typed; text of a hook or its own has other marks. */
function isMarkedAsTyped(payload: JsonObject): boolean {
  const marks = asObject(payload.internal_chat_message_metadata_passthrough)
  return asList(marks.content_item_kinds).includes('user.text')
}

function findTurn(payload: JsonObject): string | undefined {
  return asText(asObject(payload.internal_chat_message_metadata_passthrough).turn_id) ?? asText(payload.turn_id)
}

/** A command that continues after its call returned, and its output so far. */
interface RunningCommand {
  readonly callId: string
  readonly command: string | undefined
  readonly output: string
}

const MAX_OUTPUT_CHARS = 20_000

/** A prompt that names a skill is followed by what the skill says. */
const SKILL = /^\s*<skill>\s*<name>[\s\S]{0,400}?<\/path>\s*(?:---\n[\s\S]*?\n---\n)?([\s\S]*?)(?:<\/skill>\s*)?$/

/** A summary in the model's new history, of versions that do not write it beside. */
const SUMMARY_START = 'Another language model started to solve this problem'

function findSummary({ message, replacement_history: history }: JsonObject): string | undefined {
  const said = asText(message)
  if (said !== undefined && said.trim() !== '') return said
  return asList(history)
    .flatMap((item) => readContentText(asObject(item).content) ?? [])
    .find((text) => text.startsWith(SUMMARY_START))
}

/** How a prompt was recorded: many versions write it twice, as an event and as a message of the model's history. */
interface RecordedPrompt {
  readonly prompt: string
  readonly by: 'event' | 'message'
}

/** For versions whose turns have no id. */
const UNNAMED_TURN = 'start'

class CodexReader implements RecordReader {
  private readonly log: SessionLog
  private readonly isLive: boolean
  private turn = UNNAMED_TURN
  private compactions = 0
  private lastPrompt: RecordedPrompt | undefined
  private unnamedPrompts = 0
  /** A prompt whose skill may follow. */
  private waiting: { readonly prompt: string; readonly key: string; readonly isQueued: boolean } | undefined
  /** Whether the agent did something in its turn; undefined for versions that do not record turns. */
  private hasWorked: boolean | undefined
  /** The questions of each call of `request_user_input`. */
  private readonly questions = new Map<string, unknown>()
  /** Commands that continue after their call returned, by Codex's id. */
  private readonly running = new Map<string, RunningCommand>()
  /** The command of each call that has no result yet. */
  private readonly commands = new Map<string, string | undefined>()
  /** Beside a running session: the command that a call writes to, by Codex's id. */
  private readonly ended = new Map<string, string>()
  /** Calls that wait for one of them. */
  private readonly waits = new Map<string, RunningCommand>()

  constructor(options: ReaderOptions) {
    this.log = new SessionLog(CODEX, options)
    this.isLive = options.mode === 'live'
  }

  prime(record: JsonObject): void {
    if (record.type === 'response_item') this.learnCall(asObject(record.payload))
  }
  takeFinishedSubagents(): readonly string[] {
    return []
  }
  facts() {
    return this.log.facts()
  }
  end() {
    this.flushPrompt()
    if (!this.isLive)
      for (const [session, { callId, output }] of this.running)
        this.log.finished(callId, { ok: true, text: output, backgroundId: session })
    return this.log.end()
  }

  read(record: JsonObject) {
    const payload = asObject(record.payload)
    const skill = payload.role === 'user' ? SKILL.exec(readContentText(payload.content) ?? '')?.[1] : undefined
    if (skill !== undefined || payload.type !== 'user_message') this.flushPrompt(skill)
    this.log.learn({ time: record.timestamp })
    switch (record.type) {
      case 'session_meta':
        this.log.learn({
          session: payload.id,
          cwd: payload.cwd,
          branch: asObject(payload.git).branch,
          version: payload.cli_version,
        })
        break
      case 'turn_context':
        this.turn = asText(payload.turn_id) ?? this.turn
        this.log.learn({ cwd: payload.cwd, model: payload.model })
        break
      case 'response_item':
        this.readItem(payload)
        break
      case 'event_msg':
        this.readMessage(payload)
        break
      case 'compacted':
        this.compactions += 1
        // The hook for it has no key for it, so both would be counted.
        if (!this.isLive) this.log.compacted(`${this.turn}-${this.compactions}`)
        this.log.summary(findSummary(payload))
        break
    }
    return this.log.take()
  }

  private readPrompt(
    message: string | undefined,
    from: Omit<RecordedPrompt, 'prompt'> & { readonly turn: string },
  ): void {
    const prompt = message === undefined ? undefined : boundedPrompt(readUserText(message))
    if (prompt === undefined) return
    const { turn, by } = from
    const isDuplicate = this.lastPrompt?.prompt === prompt && this.lastPrompt.by !== by
    this.lastPrompt = isDuplicate ? undefined : { prompt, by }
    if (isDuplicate) return
    const key = promptKey(turn, prompt) ?? turn
    if (turn === UNNAMED_TURN) this.unnamedPrompts += 1
    this.waiting = {
      prompt,
      key: turn === UNNAMED_TURN && this.unnamedPrompts > 1 ? `${key}-${this.unnamedPrompts}` : key,
      isQueued: this.hasWorked === true,
    }
  }

  private flushPrompt(skill?: string): void {
    const { waiting } = this
    this.waiting = undefined
    if (waiting === undefined) return
    const expansion = bounded(skill?.trim(), BOUNDS.plan)
    this.log.prompt(waiting.prompt, waiting.key, {
      ...(waiting.isQueued ? { isQueued: true } : {}),
      ...(expansion === undefined ? {} : { expansion }),
    })
  }

  private readMessage(payload: JsonObject): void {
    // The same text is in a message of the model's history, which says who wrote it.
    if (payload.type === 'user_message' && !this.isLive)
      this.readPrompt(asText(payload.message), { turn: this.turn, by: 'event' })
    if (payload.type === 'item_completed') this.readItemEnd(asObject(payload.item))
    if (payload.type === 'task_started') this.hasWorked = false
    if (payload.type === 'task_complete') this.readTurnEnd(payload)
    if (payload.type === 'turn_aborted') {
      this.hasWorked = false
      this.log.turnAborted()
    }
    if (payload.type !== 'token_count') return
    const { last_token_usage: usage, model_context_window: window } = asObject(payload.info)
    this.log.measured(asNumber(asObject(usage).total_tokens), asNumber(window))
  }

  private readTurnEnd(payload: JsonObject): void {
    this.hasWorked = false
    const last = bounded(payload.last_agent_message, BOUNDS.message)
    if (last !== undefined) this.log.turnEnded(turnEndKey(asText(payload.turn_id) ?? this.turn, last), last)
  }

  /** Written before the hooks that follow a command run, and before its result. */
  private readItemEnd(item: JsonObject): void {
    const callId = asText(item.id)
    const exitStatus = asNumber(item.exit_code)
    if (item.type !== 'CommandExecution' || callId === undefined || exitStatus === undefined) return
    const text = asText(item.aggregated_output)
    const { refused } = item.status === 'declined' ? readResult(text ?? '') : {}
    if (item.status === 'declined') this.log.finished(callId, { ok: false, text, refused: refused ?? { by: 'user' } })
    else this.log.finished(callId, { ok: exitStatus === 0, exitStatus, ...(text === undefined ? {} : { text }) })
  }

  private readItem(payload: JsonObject): void {
    this.learnCall(payload)
    const callId = asText(payload.call_id)
    const isWork = payload.role === 'assistant' || `${asText(payload.type)}`.includes('call')
    if (isWork && this.hasWorked !== undefined) this.hasWorked = true
    switch (payload.type) {
      case 'message':
        if (payload.role === 'assistant') this.log.statement(readContentText(payload.content))
        if (payload.role === 'user') this.readUserMessage(payload)
        break
      case 'web_search_call':
        this.log.finished(`${asText(payload.id)}`, { ok: payload.status !== 'failed' })
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (callId !== undefined) this.readOutput(callId, payload)
        break
    }
  }

  private readUserMessage(payload: JsonObject): void {
    const turn = findTurn(payload)
    if (this.isLive && (turn === undefined || !isMarkedAsTyped(payload))) return
    this.readPrompt(readContentText(payload.content), { turn: turn ?? this.turn, by: 'message' })
  }

  private learnCall(payload: JsonObject): void {
    const callId = asText(payload.call_id)
    switch (payload.type) {
      case 'function_call':
      case 'custom_tool_call':
        if (callId !== undefined) this.learnTool(payload, callId)
        break
      case 'local_shell_call':
        if (callId !== undefined)
          this.log.started(callId, readForeignCall({ name: 'shell', input: payload.action, callId }))
        break
      case 'web_search_call':
        this.log.started(`${asText(payload.id)}`, readForeignCall({ name: 'web_search', input: payload.action }))
        break
    }
  }

  private learnTool(payload: JsonObject, callId: string): void {
    const call = this.readCall(payload, callId)
    // A call that only waits for a command cannot be left unfinished: the command can.
    if (this.isLive || !this.waits.has(callId)) this.log.started(callId, call)
  }

  private readCall(payload: JsonObject, callId: string) {
    const namespace = asText(payload.namespace)
    const name = [namespace, asText(payload.name) ?? 'unknown'].filter((part) => part !== undefined).join('__')
    const input = parseArguments(payload)
    const running = this.running.get(String(asObject(input).session_id))
    if (name === 'write_stdin' && running !== undefined) {
      this.waits.set(callId, running)
      return readForeignCall({ name, input: { command: running.command }, callId })
    }
    const call = readForeignCall({ name, input, callId })
    if (name === 'request_user_input') this.questions.set(callId, input)
    if (name === 'write_stdin') this.ended.set(callId, String(asObject(input).session_id))
    this.commands.set(callId, call.command)
    return call
  }

  private readOutput(callId: string, payload: JsonObject): void {
    const text = readContentText(payload.output) ?? asText(asObject(payload.output).content) ?? ''
    const session = RUNNING.exec(text.slice(0, 500))?.[1]
    const awaited = this.waits.get(callId)
    const command = this.commands.get(callId)
    this.waits.delete(callId)
    this.commands.delete(callId)
    const asked = this.questions.get(callId)
    const answers = asked === undefined ? undefined : readGivenAnswers('request_user_input', asked, text)
    const result = { ...readResult(text), answers }
    if (session !== undefined) {
      const running = awaited ?? { callId, command, output: '' }
      this.running.set(session, {
        ...running,
        output: `${running.output}${result.text ?? ''}`.slice(-MAX_OUTPUT_CHARS),
      })
      // The outcome of the command is recorded once, when it has ended. Beside a running session the hooks have reported the call.
      if (!this.isLive) return
    }
    const backgroundId = session ?? (result.exitStatus === undefined ? undefined : this.ended.get(callId))
    if (awaited === undefined || this.isLive) this.log.finished(callId, { ...result, backgroundId })
    else if (result.exitStatus !== undefined)
      this.log.finished(awaited.callId, { ...result, text: `${awaited.output}${result.text ?? ''}` })
  }
}

function createCodexReader(options: ReaderOptions): RecordReader {
  return new CodexReader(options)
}

/** Ids of calls whose results are in these records while the calls themselves are in earlier ones. */
function missingCalls(records: readonly JsonObject[]): ReadonlySet<string> {
  const made = new Set<string>()
  const missing = new Set<string>()
  for (const record of records) {
    const payload = asObject(record.payload)
    const callId = asText(payload.call_id) ?? asText(asObject(payload.item).id)
    if (callId === undefined) continue
    if (record.type === 'response_item' && !`${asText(payload.type)}`.endsWith('_output')) made.add(callId)
    else if (!made.has(callId)) missing.add(callId)
  }
  return missing
}

/** Codex has no id of an answer: the time and the running total of the session name it. */
function readUsage({ timestamp, payload }: JsonObject): MessageUsage | undefined {
  const { type, info } = asObject(payload)
  const { last_token_usage: last, total_token_usage: total } = asObject(info)
  const at = asText(timestamp)
  if (type !== 'token_count' || at === undefined || !isObject(last)) return undefined
  const cacheRead = asNumber(last.cached_input_tokens) ?? 0
  return {
    id: `${at} ${asNumber(asObject(total).total_tokens) ?? 0}`,
    at,
    input: Math.max(0, (asNumber(last.input_tokens) ?? 0) - cacheRead),
    output: asNumber(last.output_tokens) ?? 0,
    cacheRead,
    cacheWrite: 0,
  }
}

const RECORD_TYPES: readonly unknown[] = ['session_meta', 'event_msg', 'response_item']

export const codexTranscript: TranscriptFormat = {
  createReader: createCodexReader,
  missingCalls,
  readUsage,
  isOwnRecord: ({ type, payload }) => RECORD_TYPES.includes(type) && isObject(payload),
  async findHistory(ports, list) {
    const folders = ['sessions', 'archived_sessions'].map((name) => join(codexHome(ports), name))
    const files = await Promise.all(folders.map((folder) => list(folder)))
    return files.flat().map((path) => ({ path }))
  },
}
