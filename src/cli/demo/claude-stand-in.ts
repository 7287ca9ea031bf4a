import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '../../platform/base/clock.ts'
import { type ProcessResult } from './demo-project.ts'
import type { DemoProject } from './demo-project.ts'
import { isObject } from '../../kernel/json-shape.ts'

const VERSION = '2.1.325'

type Fields = Readonly<Record<string, unknown>>

/** The text that a hook's output adds to the context; empty when it adds none. */
function injectedText({ stdout }: ProcessResult): string {
  if (stdout.trim() === '') return ''
  const answer: unknown = JSON.parse(stdout)
  const output = isObject(answer) ? answer.hookSpecificOutput : undefined
  return isObject(output) && typeof output.additionalContext === 'string' ? output.additionalContext : ''
}

/** Fires the hooks and writes the transcript of a session in the formats of Claude Code 2.1.325. */
export class ClaudeStandIn {
  readonly sessionId = randomUUID()
  readonly transcript: string
  readonly #project: DemoProject
  readonly #pid: number
  #prompts = 0

  constructor(project: DemoProject, pid: number) {
    this.#project = project
    this.#pid = pid
    this.transcript = join(project.claudeDir, 'projects', 'pages', `${this.sessionId}.jsonl`)
    mkdirSync(dirname(this.transcript), { recursive: true })
  }

  get #promptId(): string {
    return `${this.sessionId}-${this.#prompts}`
  }

  #write(record: Fields): void {
    const line = {
      uuid: randomUUID(),
      sessionId: this.sessionId,
      cwd: this.#project.path,
      version: VERSION,
      gitBranch: 'main',
      isSidechain: false,
      promptId: this.#promptId,
      timestamp: systemClock.now(),
      ...record,
    }
    appendFileSync(this.transcript, `${JSON.stringify(line)}\n`)
  }

  #fire(hook: string, fields: Fields): Promise<ProcessResult> {
    const { sessionId: session_id, transcript: transcript_path } = this
    return this.#project.fire(hook, { session_id, transcript_path, cwd: this.#project.path, ...fields }, this.#pid)
  }

  async start(): Promise<string> {
    return injectedText(await this.#fire('SessionStart', { source: 'startup' }))
  }

  async prompt(prompt: string): Promise<string> {
    this.#prompts += 1
    const ran = await this.#fire('UserPromptSubmit', { prompt, prompt_id: this.#promptId })
    this.#write({ type: 'user', message: { role: 'user', content: prompt } })
    return injectedText(ran)
  }

  async tool(
    name: string,
    input: Fields,
    outcome: { readonly response?: unknown; readonly error?: string },
  ): Promise<void> {
    const tool_use_id = `toolu_${randomUUID()}`
    const { response = 'ok', error } = outcome
    this.#write({
      type: 'assistant',
      message: {
        id: `msg_${randomUUID()}`,
        role: 'assistant',
        content: [{ type: 'tool_use', id: tool_use_id, name, input }],
        usage: {
          input_tokens: 12,
          cache_read_input_tokens: 18_400,
          cache_creation_input_tokens: 610,
          output_tokens: 90,
        },
      },
    })
    const result = {
      type: 'tool_result',
      tool_use_id,
      content: error ?? JSON.stringify(response),
      ...(error !== undefined && { is_error: true }),
    }
    this.#write({
      type: 'user',
      message: { role: 'user', content: [result] },
      toolUseResult: error === undefined ? response : `Error: ${error}`,
    })
    const call = { tool_name: name, tool_input: input, tool_use_id, prompt_id: this.#promptId }
    if (error === undefined) await this.#fire('PostToolUse', { ...call, tool_response: response })
    else await this.#fire('PostToolUseFailure', { ...call, error })
  }

  async say(text: string): Promise<void> {
    this.#write({
      type: 'assistant',
      message: { id: `msg_${randomUUID()}`, role: 'assistant', content: [{ type: 'text', text }] },
    })
    await this.#fire('Stop', { stop_hook_active: false, last_assistant_message: text })
  }
}
