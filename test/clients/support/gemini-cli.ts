import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ClientInput, RealClient } from './real-client.ts'
import { holdfastProgram } from './holdfast.ts'
import { type PinnedClient, installClient } from './install-client.ts'
import { RunningClient } from './running-client.ts'

export const geminiCli: PinnedClient = { id: 'gemini-cli', package: '@google/gemini-cli', version: '0.61.0' }

const RUN_TIMEOUT_MS = 180_000
/** A fifth of the window, so that a scripted usage brings about a compression. */
const COMPRESSION_THRESHOLD = 0.2
export const COMPRESSING_TOKENS = 900_000

const Result = z.looseObject({ session_id: z.string(), response: z.string().default('') })

export interface GeminiRun {
  readonly exitCode: number | null
  readonly sessionId: string
  /** The last words of the turn. */
  readonly said: string
}

/** The real Gemini CLI in a home of its own, with the scripted model as its only model. */
export class GeminiCli extends RealClient {
  static async create(input: ClientInput): Promise<GeminiCli> {
    const client = new GeminiCli(await geminiProgram(), input)
    await mkdir(join(client.home, '.gemini'), { recursive: true })
    await client.workspace.putOnPath('holdfast', holdfastProgram)
    await writeFile(client.settingsFile, SETTINGS)
    return client
  }

  get home(): string {
    return join(this.workspace.dir, 'gemini')
  }

  get settingsFile(): string {
    return join(this.home, '.gemini', 'settings.json')
  }

  get environment(): Record<string, string> {
    const { PATH = '', ...rest } = this.workspace.environment
    return {
      ...rest,
      PATH: `${this.workspace.binDir}:${PATH}`,
      GEMINI_CLI_HOME: this.home,
      GOOGLE_GEMINI_BASE_URL: this.model.url,
      GEMINI_API_KEY: 'not-a-real-key',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
      ...this.extraEnvironment,
    }
  }

  start(prompt: string, options: { readonly resume?: string } = {}): RunningClient {
    const resume = options.resume === undefined ? [] : ['--resume', options.resume]
    return this.command(['--yolo', '--output-format', 'json', ...resume, '--prompt', prompt])
  }

  /** One `gemini --prompt` from start to end. Fails when it printed no result. */
  async run(prompt: string, options: { readonly resume?: string } = {}): Promise<GeminiRun> {
    const { code, stdout, stderr } = await this.start(prompt, options).done
    const json = stdout.slice(stdout.indexOf('{'))
    const result = json === '' ? undefined : Result.safeParse(JSON.parse(json))
    if (result?.success !== true) throw new Error(`Gemini CLI ended with ${code} and no result.\n${stdout}\n${stderr}`)
    return { exitCode: code, sessionId: result.data.session_id, said: result.data.response }
  }

  command(args: readonly string[]): RunningClient {
    return new RunningClient(
      spawn(process.execPath, [this.program, ...args], {
        cwd: this.workspace.project,
        env: this.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: RUN_TIMEOUT_MS,
      }),
    )
  }
}

const SETTINGS = `{
  // Settings of a person's own, with a comment.
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "model": { "compressionThreshold": ${COMPRESSION_THRESHOLD} },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }
}
`

export async function geminiProgram(): Promise<string> {
  const program = join(await installClient(geminiCli), 'node_modules', '@google', 'gemini-cli', 'bundle', 'gemini.js')
  if (existsSync(program)) return program
  throw new Error(`The client gemini-cli ${geminiCli.version} has no program in its package.`)
}
