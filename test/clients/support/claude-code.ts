import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { RunningClient } from './running-client.ts'
import { type ClientInput, RealClient } from './real-client.ts'
import { type PinnedClient, installClient } from './install-client.ts'

export const claudeCode: PinnedClient = {
  id: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
}

const FAKE_KEY = 'sk-ant-api03-not-a-real-key-for-a-scripted-model-on-loopback'
const RUN_TIMEOUT_MS = 240_000
const TOOLS = 'Bash,Read,Write,Edit'

const Result = z.looseObject({ session_id: z.string(), result: z.string().default(''), is_error: z.boolean() })

export interface ClaudeRun {
  readonly exitCode: number | null
  readonly sessionId: string
  /** The last words of the turn. */
  readonly said: string
  readonly isError: boolean
  readonly stderr: string
}

export interface RunOptions {
  readonly resume?: string
  /** A new session that begins with what the resumed one holds; the resumed one stays as it is. */
  readonly fork?: boolean
  readonly sessionId?: string
  /** Where compaction starts, as `--autocompact` takes it. */
  readonly autocompact?: string
  readonly cwd?: string
  /** Tools it may use without asking, besides the usual ones. */
  readonly allow?: string
  /** A plugin for this run, by its folder. */
  readonly pluginDir?: string
}

/** The real Claude Code in a home of its own, with the scripted model as its only model. */
export class ClaudeCode extends RealClient {
  static async create(input: ClientInput): Promise<ClaudeCode> {
    const claude = new ClaudeCode(await claudeProgram(), input)
    await mkdir(claude.configDir, { recursive: true })
    await claude.#skipOnboarding()
    return claude
  }

  get configDir(): string {
    return join(this.workspace.dir, 'claude')
  }

  get environment(): Record<string, string> {
    return {
      ...this.workspace.environment,
      CLAUDE_CONFIG_DIR: this.configDir,
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: FAKE_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      ...this.extraEnvironment,
    }
  }

  start(prompt: string, options: RunOptions = {}): RunningClient {
    const flags = [
      ...(options.resume === undefined ? [] : ['--resume', options.resume]),
      ...(options.fork === true ? ['--fork-session'] : []),
      ...(options.sessionId === undefined ? [] : ['--session-id', options.sessionId]),
      ...(options.autocompact === undefined ? [] : ['--autocompact', options.autocompact]),
      ...(options.pluginDir === undefined ? [] : ['--plugin-dir', options.pluginDir]),
    ]
    const tools = options.allow === undefined ? TOOLS : `${TOOLS},${options.allow}`
    const args = ['-p', '--output-format', 'json', '--allowedTools', tools, ...flags, '--', prompt]
    const cwd = options.cwd ?? this.workspace.project
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    return new RunningClient(
      spawn(this.program, args, { cwd, env: this.environment, stdio: [...stdio], timeout: RUN_TIMEOUT_MS }),
    )
  }

  /** One `claude -p` from start to end. Fails when it printed no result. */
  async run(prompt: string, options: RunOptions = {}): Promise<ClaudeRun> {
    const { code, stdout, stderr } = await this.start(prompt, options).done
    const result = Result.safeParse(parseLastLine(stdout))
    if (!result.success) throw new Error(`Claude Code ended with ${code} and no result.\n${stdout}\n${stderr}`)
    const { session_id: sessionId, result: said, is_error: isError } = result.data
    return { exitCode: code, sessionId, said, isError, stderr }
  }

  async version(): Promise<string> {
    const { stdout } = await new RunningClient(
      spawn(this.program, ['--version'], { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] }),
    ).done
    return stdout.split(' ')[0] ?? ''
  }

  /** The dialogs of a first interactive start, answered beforehand. */
  async #skipOnboarding(): Promise<void> {
    const state = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)], rejected: [] },
      projects: { [this.workspace.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }
    await writeFile(join(this.configDir, '.claude.json'), JSON.stringify(state))
  }
}

function parseLastLine(stdout: string): unknown {
  const line = stdout.trim().split('\n').at(-1) ?? ''
  return line.startsWith('{') ? JSON.parse(line) : undefined
}

/** The native program comes as an optional dependency for this platform; the package's own bin is filled in by an install script, which never runs here. */
export async function claudeProgram(): Promise<string> {
  const modules = join(await installClient(claudeCode), 'node_modules', '@anthropic-ai')
  const found = (await readdir(modules))
    .filter((name) => name.startsWith('claude-code-'))
    .map((name) => join(modules, name, process.platform === 'win32' ? 'claude.exe' : 'claude'))
    .find((program) => existsSync(program))
  if (found !== undefined) return found
  throw new Error(
    `The client claude-code ${claudeCode.version} has no program for ${process.platform}-${process.arch}.`,
  )
}
