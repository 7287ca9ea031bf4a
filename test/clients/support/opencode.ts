import { existsSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ClientInput, RealClient } from './real-client.ts'
import { type PinnedClient, installClient } from './install-client.ts'
import { RunningClient } from './running-client.ts'

export const openCode: PinnedClient = { id: 'opencode', package: 'opencode-ai', version: '1.18.33' }

const RUN_TIMEOUT_MS = 120_000
/** Small, so that a scripted usage brings about a compaction. */
const CONTEXT_TOKENS = 20_000
export const COMPACTING_TOKENS = 19_000

const Line = z.looseObject({
  type: z.string(),
  sessionID: z.string().optional(),
  part: z.looseObject({ text: z.string().optional() }).optional(),
})

export interface OpenCodeRun {
  readonly exitCode: number | null
  readonly sessionId: string
  /** The last words of the turn. */
  readonly said: string
}

/** The real OpenCode in a home of its own, with the scripted model as its only model. */
export class OpenCode extends RealClient {
  static async create(input: ClientInput): Promise<OpenCode> {
    const client = new OpenCode(await openCodeProgram(), input)
    await mkdir(client.configDir, { recursive: true })
    await writeFile(client.configFile, JSON.stringify(client.#settings(), undefined, 2))
    await client.#spareTheDependencies()
    return client
  }

  get configDir(): string {
    return join(this.workspace.dir, 'opencode')
  }

  get configFile(): string {
    return join(this.configDir, 'opencode.json')
  }

  get environment(): Record<string, string> {
    const folder = (name: string) => join(this.workspace.dir, 'home', name)
    return {
      ...this.workspace.environment,
      OPENCODE_CONFIG_DIR: this.configDir,
      XDG_CONFIG_HOME: folder('.config'),
      XDG_DATA_HOME: folder('.local/share'),
      XDG_STATE_HOME: folder('.local/state'),
      XDG_CACHE_HOME: folder('.cache'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_SHARE: '1',
      ...this.extraEnvironment,
    }
  }

  /** The prompt on stdin: as an argument OpenCode would quote it again. */
  start(prompt: string, options: { readonly resume?: string } = {}): RunningClient {
    const flags = options.resume === undefined ? [] : ['--session', options.resume]
    const child = spawn(this.program, ['run', '--format', 'json', ...flags], {
      cwd: this.workspace.project,
      env: this.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
    })
    child.stdin.end(prompt)
    return new RunningClient(child)
  }

  /** One `opencode run` from start to end. Fails when it named no session. */
  async run(prompt: string, options: { readonly resume?: string } = {}): Promise<OpenCodeRun> {
    const { code, stdout, stderr } = await this.start(prompt, options).done
    const lines = stdout.split('\n').flatMap((line) => {
      const parsed = line.startsWith('{') ? Line.safeParse(JSON.parse(line)) : undefined
      return parsed?.success === true ? [parsed.data] : []
    })
    const sessionId = lines.find((line) => line.sessionID !== undefined)?.sessionID
    if (sessionId === undefined) throw new Error(`OpenCode ended with ${code} and no session.\n${stdout}\n${stderr}`)
    return { exitCode: code, sessionId, said: lines.findLast((line) => line.type === 'text')?.part?.text ?? '' }
  }

  #settings() {
    const limit = { context: CONTEXT_TOKENS, output: 2_000 }
    return {
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/main',
      small_model: 'scripted/small',
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${this.model.url}/v1`, apiKey: 'not-a-real-key' },
          models: { main: { name: 'Main', limit, tool_call: true }, small: { name: 'Small', limit } },
        },
      },
      permission: { edit: 'allow', bash: 'allow' },
    }
  }

  /** OpenCode 1.18.33 fetches its plugin types from npm into every folder of settings, unless they seem to be there; our plugin needs none. */
  async #spareTheDependencies(): Promise<void> {
    const dependencies = { '@opencode-ai/plugin': openCode.version }
    const lock = { lockfileVersion: 3, packages: { '': { dependencies } } }
    for (const folder of [this.configDir, join(this.workspace.dir, 'home', '.config', 'opencode')]) {
      await mkdir(join(folder, 'node_modules'), { recursive: true })
      await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies }))
      await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
    }
  }
}

/** The native program comes as an optional dependency for this platform. */
export async function openCodeProgram(): Promise<string> {
  const modules = join(await installClient(openCode), 'node_modules')
  const name = process.platform === 'win32' ? 'opencode.exe' : 'opencode'
  const found = (await readdir(modules))
    .filter((folder) => folder.startsWith('opencode-') && folder !== 'opencode-ai')
    .toSorted((a, b) => Number(a.includes('baseline')) - Number(b.includes('baseline')))
    .map((folder) => join(modules, folder, 'bin', name))
    .find((program) => existsSync(program))
  if (found !== undefined) return found
  throw new Error(`The client opencode ${openCode.version} has no program for ${process.platform}-${process.arch}.`)
}
