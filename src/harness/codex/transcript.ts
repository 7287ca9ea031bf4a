import { boundedPrompt } from '../payload/bounds.ts'
import { CODEX, promptKey } from './events.ts'
import { readResult } from './tools.ts'
import { readUserText } from './user-text.ts'
import { contentText, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import type { ReaderOptions, RecordReader } from '../transcript/record-reader.ts'
import { SessionLog } from '../transcript/session-log.ts'

const RUNNING = /^Process running with session ID (\d+)$/m

function argumentsOf(payload: JsonObject): unknown {
  const text = textOf(payload.arguments)
  if (text === undefined) return payload.input
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch {
    // A model may write arguments that are no JSON; the call still happened.
    return text
  }
}

/** Codex 0.166 marks what a person typed; what it or a hook put in has other marks. */
function isMarkedAsTyped(payload: JsonObject): boolean {
  const marks = objectOf(payload.internal_chat_message_metadata_passthrough)
  return listOf(marks.content_item_kinds).includes('user.text')
}

function turnOf(payload: JsonObject): string | undefined {
  return textOf(objectOf(payload.internal_chat_message_metadata_passthrough).turn_id) ?? textOf(payload.turn_id)
}

/** A command whose call returned before it was over, and what it said so far. */
interface Running {
  readonly callId: string
  readonly command: string | undefined
  readonly said: string
}

const MAX_SAID = 20_000

/** What a prompt was told by: many versions write each down twice, as an event and as a message of the model's history. */
interface ToldPrompt {
  readonly prompt: string
  readonly by: 'event' | 'message'
}

/** Of versions that gave their turns no id. */
const UNNAMED_TURN = 'start'

class CodexReader implements RecordReader {
  private readonly log: SessionLog
  private readonly isLive: boolean
  private turn = UNNAMED_TURN
  private compactions = 0
  private lastPrompt: ToldPrompt | undefined
  private unnamedPrompts = 0
  /** Commands that go on after their call returned, by Codex's own id for them. */
  private readonly running = new Map<string, Running>()
  /** What calls without a result yet were given to run. */
  private readonly commands = new Map<string, string | undefined>()
  /** Calls that wait for one of them. */
  private readonly waits = new Map<string, Running>()

  constructor(options: ReaderOptions) {
    this.log = new SessionLog(CODEX, options)
    this.isLive = options.mode === 'live'
  }

  prime(record: JsonObject): void {
    if (record.type === 'response_item') this.learnCall(objectOf(record.payload))
  }
  takeFinishedSubagents(): readonly string[] {
    return []
  }
  facts() {
    return this.log.facts()
  }
  end() {
    return this.log.end()
  }

  read(record: JsonObject) {
    const payload = objectOf(record.payload)
    this.log.learn({ time: record.timestamp })
    switch (record.type) {
      case 'session_meta':
        this.log.learn({
          session: payload.id,
          cwd: payload.cwd,
          branch: objectOf(payload.git).branch,
          version: payload.cli_version,
        })
        break
      case 'turn_context':
        this.turn = textOf(payload.turn_id) ?? this.turn
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
        // The hook that tells of it knows no key for it: beside hooks it would be counted twice.
        if (!this.isLive) this.log.compacted(`${this.turn}-${this.compactions}`)
        this.log.summary(textOf(payload.message))
        break
    }
    return this.log.take()
  }

  private readPrompt(message: string | undefined, told: Omit<ToldPrompt, 'prompt'> & { readonly turn: string }): void {
    const prompt = message === undefined ? undefined : boundedPrompt(readUserText(message))
    if (prompt === undefined) return
    const { turn, by } = told
    const isSecondTelling = this.lastPrompt?.prompt === prompt && this.lastPrompt.by !== by
    this.lastPrompt = isSecondTelling ? undefined : { prompt, by }
    if (isSecondTelling) return
    const key = promptKey(turn, prompt) ?? turn
    if (turn === UNNAMED_TURN) this.unnamedPrompts += 1
    this.log.prompt(prompt, turn === UNNAMED_TURN && this.unnamedPrompts > 1 ? `${key}-${this.unnamedPrompts}` : key)
  }

  private readMessage(payload: JsonObject): void {
    // Its words stand in a message of the model's history too, which says whose they are.
    if (payload.type === 'user_message' && !this.isLive)
      this.readPrompt(textOf(payload.message), { turn: this.turn, by: 'event' })
    if (payload.type === 'item_completed') this.readItemEnd(objectOf(payload.item))
    if (payload.type !== 'token_count') return
    const { last_token_usage: usage, model_context_window: window } = objectOf(payload.info)
    this.log.measured(numberOf(objectOf(usage).total_tokens), numberOf(window))
  }

  /** Written before the hooks that follow a command run, and before its result. */
  private readItemEnd(item: JsonObject): void {
    const callId = textOf(item.id)
    const exitStatus = numberOf(item.exit_code)
    if (item.type !== 'CommandExecution' || callId === undefined || exitStatus === undefined) return
    const text = textOf(item.aggregated_output)
    this.log.finished(callId, { ok: exitStatus === 0, exitStatus, ...(text === undefined ? {} : { text }) })
  }

  private readItem(payload: JsonObject): void {
    this.learnCall(payload)
    const callId = textOf(payload.call_id)
    switch (payload.type) {
      case 'message':
        if (payload.role === 'assistant') this.log.statement(contentText(payload.content))
        if (payload.role === 'user') this.readUserMessage(payload)
        break
      case 'web_search_call':
        this.log.finished(`${textOf(payload.id)}`, { ok: payload.status !== 'failed' })
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (callId !== undefined) this.readOutput(callId, payload)
        break
    }
  }

  private readUserMessage(payload: JsonObject): void {
    const turn = turnOf(payload)
    if (this.isLive && (turn === undefined || !isMarkedAsTyped(payload))) return
    this.readPrompt(contentText(payload.content), { turn: turn ?? this.turn, by: 'message' })
  }

  private learnCall(payload: JsonObject): void {
    const callId = textOf(payload.call_id)
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
        this.log.started(`${textOf(payload.id)}`, readForeignCall({ name: 'web_search', input: payload.action }))
        break
    }
  }

  private learnTool(payload: JsonObject, callId: string): void {
    const call = this.callOf(payload, callId)
    // Who waits for a command does nothing that could be left unfinished: the command itself is.
    if (this.isLive || !this.waits.has(callId)) this.log.started(callId, call)
  }

  private callOf(payload: JsonObject, callId: string) {
    const namespace = textOf(payload.namespace)
    const name = [namespace, textOf(payload.name) ?? 'unknown'].filter((part) => part !== undefined).join('__')
    const input = argumentsOf(payload)
    const going = this.running.get(String(objectOf(input).session_id))
    if (name === 'write_stdin' && going !== undefined) {
      this.waits.set(callId, going)
      return readForeignCall({ name, input: { command: going.command }, callId })
    }
    const call = readForeignCall({ name, input, callId })
    this.commands.set(callId, call.command)
    return call
  }

  private readOutput(callId: string, payload: JsonObject): void {
    const text = contentText(payload.output) ?? textOf(objectOf(payload.output).content) ?? ''
    const session = RUNNING.exec(text.slice(0, 500))?.[1]
    const awaited = this.waits.get(callId)
    const command = this.commands.get(callId)
    this.waits.delete(callId)
    this.commands.delete(callId)
    const result = readResult(text)
    if (session !== undefined) {
      const going = awaited ?? { callId, command, said: '' }
      this.running.set(session, { ...going, said: `${going.said}${result.text ?? ''}`.slice(-MAX_SAID) })
      // Waiting is no run: what comes of the command is told once, when it is over. Hooks have told of the call already.
      if (!this.isLive) return
    }
    if (awaited === undefined || this.isLive) this.log.finished(callId, result)
    else if (result.exitStatus !== undefined)
      this.log.finished(awaited.callId, { ...result, text: `${awaited.said}${result.text ?? ''}` })
  }
}

export function createCodexReader(options: ReaderOptions): RecordReader {
  return new CodexReader(options)
}

/** Ids of calls whose results stand in these records while the calls themselves stand earlier. */
export function missingCalls(records: readonly JsonObject[]): ReadonlySet<string> {
  const made = new Set<string>()
  const missing = new Set<string>()
  for (const record of records) {
    const payload = objectOf(record.payload)
    const callId = textOf(payload.call_id) ?? textOf(objectOf(payload.item).id)
    if (callId === undefined) continue
    if (record.type === 'response_item' && !`${textOf(payload.type)}`.endsWith('_output')) made.add(callId)
    else if (!made.has(callId)) missing.add(callId)
  }
  return missing
}
