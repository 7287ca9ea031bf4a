import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HookOptions, injectedBy, type Product, type Ran, waitUntil } from './product.ts'

/** Plays Claude Code to the built product: the hooks it fires and the transcript it writes, in the shapes of 2.1.325. */
export class ClaudeSession {
  readonly id: string
  readonly transcript: string
  readonly #product: Product
  readonly #cwd: string
  readonly #options: HookOptions
  #prompts = 0

  constructor(product: Product, cwd: string, options: HookOptions & { id?: string } = {}) {
    this.#product = product
    this.#cwd = cwd
    this.#options = options
    this.id = options.id ?? randomUUID()
    this.transcript = join(product.claudeDir, 'projects', 'p', `${this.id}.jsonl`)
    mkdirSync(dirname(this.transcript), { recursive: true })
  }

  get promptId(): string {
    return `${this.id}-prompt-${this.#prompts}`
  }

  #write(record: Readonly<Record<string, unknown>>): void {
    const line = {
      uuid: randomUUID(),
      sessionId: this.id,
      cwd: this.#cwd,
      version: '2.1.325',
      gitBranch: 'main',
      isSidechain: false,
      promptId: this.promptId,
      timestamp: new Date().toISOString(),
      ...record,
    }
    appendFileSync(this.transcript, `${JSON.stringify(line)}\n`)
  }

  fire(hook: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    const payload = { session_id: this.id, transcript_path: this.transcript, cwd: this.#cwd, ...fields }
    return this.#product.hook(hook, payload, this.#options)
  }

  /** What the start put before the agent. */
  async start(source: 'startup' | 'resume' | 'clear' | 'compact' = 'startup'): Promise<string> {
    return injectedBy(await this.fire('SessionStart', { source }))
  }

  /**
   * If the daemon is not ready at the start, the recovery comes with the first prompt that is answered in time. Fewer
   * prompts than make a periodic checkpoint due.
   */
  async begin(): Promise<string> {
    let injected = await this.start()
    if (injected === '') await waitUntil(() => this.#product.isDaemonReady(), 'the daemon answers')
    for (let asked = 0; injected === '' && asked < 3; asked += 1) injected = await this.prompt('Where were we?')
    return injected
  }

  async prompt(prompt: string): Promise<string> {
    this.#prompts += 1
    const ran = await this.fire('UserPromptSubmit', { prompt, prompt_id: this.promptId })
    this.#write({ type: 'user', message: { role: 'user', content: prompt } })
    return injectedBy(ran)
  }

  /** Writes the transcript lines of a tool call and its result; `isHookLost` leaves the hook out, as when the daemon is away. */
  async tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    outcome: { response?: unknown; error?: string; isHookLost?: boolean } = {},
  ): Promise<void> {
    const toolUseId = `toolu_${randomUUID()}`
    const messageId = `msg_${randomUUID()}`
    this.#write({
      type: 'assistant',
      message: {
        id: messageId,
        role: 'assistant',
        content: [{ type: 'tool_use', id: toolUseId, name, input }],
        usage: { input_tokens: 10, cache_read_input_tokens: 1000, cache_creation_input_tokens: 100, output_tokens: 50 },
      },
    })
    const content = outcome.error ?? JSON.stringify(outcome.response ?? 'ok')
    this.#write({
      type: 'user',
      message: {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: toolUseId,
            content,
            ...(outcome.error === undefined ? {} : { is_error: true }),
          },
        ],
      },
      toolUseResult: outcome.error === undefined ? (outcome.response ?? 'ok') : `Error: ${outcome.error}`,
    })
    if (outcome.isHookLost === true) return
    const common = { tool_name: name, tool_input: input, tool_use_id: toolUseId, prompt_id: this.promptId }
    if (outcome.error === undefined)
      await this.fire('PostToolUse', { ...common, tool_response: outcome.response ?? 'ok' })
    else await this.fire('PostToolUseFailure', { ...common, error: outcome.error })
  }

  /** Asks before a tool, as Claude Code does; what the hook printed. */
  async ask(name: string, input: Readonly<Record<string, unknown>>): Promise<string> {
    const fields = {
      tool_name: name,
      tool_input: input,
      tool_use_id: `toolu_${randomUUID()}`,
      prompt_id: this.promptId,
    }
    return (await this.fire('PreToolUse', fields)).stdout
  }

  edit(path: string, oldText: string, newText: string): Promise<void> {
    const file_path = join(this.#cwd, path)
    return this.tool(
      'Edit',
      { file_path, old_string: oldText, new_string: newText },
      { response: { filePath: file_path, oldString: oldText, newString: newText } },
    )
  }

  bash(command: string, outcome: { stdout?: string; error?: string; isHookLost?: boolean } = {}): Promise<void> {
    const response = { stdout: outcome.stdout ?? '', stderr: '', interrupted: false }
    return this.tool('Bash', { command }, { response, error: outcome.error, isHookLost: outcome.isHookLost })
  }

  /** The end of a turn; `contextTokens` is what the model was given for it, by its usage record. */
  async say(text: string, { contextTokens }: { contextTokens?: number } = {}): Promise<void> {
    const usage = { input_tokens: 10, cache_read_input_tokens: (contextTokens ?? 10) - 10, output_tokens: 0 }
    this.#write({
      type: 'assistant',
      message: {
        id: `msg_${randomUUID()}`,
        role: 'assistant',
        content: [{ type: 'text', text }],
        ...(contextTokens !== undefined && { usage }),
      },
    })
    await this.fire('Stop', { stop_hook_active: false, last_assistant_message: text })
  }

  async compact(): Promise<string> {
    await this.fire('PreCompact', { trigger: 'manual', custom_instructions: null })
    const injected = await this.start('compact')
    await this.fire('PostCompact', { trigger: 'manual', compact_summary: 'The harness wrote this summary.' })
    return injected
  }

  async end(reason: 'clear' | 'other' | 'prompt_input_exit' = 'other'): Promise<void> {
    await this.fire('SessionEnd', { reason })
  }
}
