import { contentText, type JsonObject, numberOf, objectOf, textOf } from '../harness/json-shape.ts'
import { readForeignCall } from '../harness/tool-call.ts'
import type { RawOutcome } from '../harness/tool-output.ts'
import type { ReaderOptions, RecordReader } from './record-reader.ts'
import { SessionLog } from './session-log.ts'

/** What Codex itself puts into user messages. */
const FOREIGN =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|subagent_notification|collaboration_mode|user_shell_command)|# AGENTS\.md instructions)/

const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const RUNNING = /^Process running with session ID (\d+)$/m
const OUTPUT = /^Output:\n/m

/** Results begin with a few lines of Codex's own, up to `Output:`. */
function outcomeOf(text: string): RawOutcome {
  const exit = EXIT.exec(text.slice(0, 500))?.[1]
  const output = OUTPUT.exec(text.slice(0, 500))
  const exitStatus = exit === undefined ? undefined : Number(exit)
  return {
    ok: (exitStatus ?? 0) === 0 && !/^(?:error|failed)\b/i.test(text),
    text: output === null ? text : text.slice(output.index + output[0].length),
    ...(exitStatus === undefined ? {} : { exitStatus }),
  }
}

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

class CodexReader implements RecordReader {
  private readonly log: SessionLog
  private turn = 'start'
  private prompts = 0
  private compactions = 0
  private lastPrompt: string | undefined
  /** Commands that go on after their call returned, by Codex's own id for them. */
  private readonly running = new Map<string, string>()

  constructor(options: ReaderOptions) {
    this.log = new SessionLog('codex', options)
  }

  prime(): void {}
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
        this.log.compacted(`${this.turn}-${this.compactions}`)
        this.log.summary(textOf(payload.message))
        break
    }
    return this.log.take()
  }

  private readPrompt(text: string | undefined): void {
    if (text === undefined || FOREIGN.test(text) || text === this.lastPrompt) return
    this.lastPrompt = text
    this.prompts += 1
    this.log.prompt(text, `${this.turn}-${this.prompts}`)
  }

  private readMessage(payload: JsonObject): void {
    if (payload.type === 'user_message') this.readPrompt(textOf(payload.message))
    if (payload.type !== 'token_count') return
    const usage = objectOf(objectOf(payload.info).last_token_usage)
    this.log.measured(numberOf(usage.total_tokens))
  }

  private readItem(payload: JsonObject): void {
    const callId = textOf(payload.call_id)
    switch (payload.type) {
      case 'message':
        if (payload.role === 'assistant') this.log.statement(contentText(payload.content))
        if (payload.role === 'user') this.readPrompt(contentText(payload.content))
        break
      case 'function_call':
      case 'custom_tool_call':
        if (callId !== undefined) this.log.started(callId, this.callOf(payload, callId))
        break
      case 'local_shell_call':
        if (callId !== undefined)
          this.log.started(callId, readForeignCall({ name: 'shell', input: payload.action, callId }))
        break
      case 'web_search_call':
        this.log.started(`${textOf(payload.id)}`, readForeignCall({ name: 'web_search', input: payload.action }))
        this.log.finished(`${textOf(payload.id)}`, { ok: payload.status !== 'failed' })
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (callId !== undefined) this.readOutput(callId, payload)
        break
    }
  }

  private callOf(payload: JsonObject, callId: string) {
    const namespace = textOf(payload.namespace)
    const name = [namespace, textOf(payload.name) ?? 'unknown'].filter((part) => part !== undefined).join('__')
    const input = argumentsOf(payload)
    const going = this.running.get(String(objectOf(input).session_id))
    // Waiting for a command that goes on: what comes back is that command's.
    if (name === 'write_stdin' && going !== undefined)
      return readForeignCall({ name, input: { command: going }, callId })
    const call = readForeignCall({ name, input, callId })
    if (call.command !== undefined) this.running.set(callId, call.command)
    return call
  }

  private readOutput(callId: string, payload: JsonObject): void {
    const text = contentText(payload.output) ?? textOf(objectOf(payload.output).content) ?? ''
    const session = RUNNING.exec(text.slice(0, 500))?.[1]
    const command = this.running.get(callId)
    this.running.delete(callId)
    if (session !== undefined && command !== undefined) this.running.set(session, command)
    this.log.finished(callId, outcomeOf(text))
  }
}

export function createCodexReader(options: ReaderOptions): RecordReader {
  return new CodexReader(options)
}
