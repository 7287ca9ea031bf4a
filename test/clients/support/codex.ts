import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { type ClientInput, RealClient } from './real-client.ts'
import { holdfastProgram } from './holdfast.ts'
import { type PinnedClient, installClient } from './install-client.ts'
import { RunningClient } from './running-client.ts'

export const codex: PinnedClient = { id: 'codex', package: '@openai/codex', version: '0.166.0' }

const RUN_TIMEOUT_MS = 120_000
/** Small, so that a scripted usage brings about a compaction. */
const COMPACT_AT_TOKENS = 80_000
export const COMPACTING_TOKENS = 90_000

const Line = z.looseObject({
  type: z.string(),
  thread_id: z.string().optional(),
  item: z.looseObject({ type: z.string(), text: z.string().optional(), message: z.string().optional() }).optional(),
})
const HookList = z.looseObject({
  data: z.array(z.looseObject({ hooks: z.array(z.looseObject({ key: z.string(), currentHash: z.string() })) })),
})

export interface CodexRun {
  readonly exitCode: number | null
  readonly sessionId: string
  /** The last words of the turn. */
  readonly said: string
  /** What it complained about: settings it clamps, files it cannot read. */
  readonly complaints: readonly string[]
}

export interface RunOptions {
  readonly resume?: string
  readonly model?: string
  /** As automation does that has looked at the hooks elsewhere. */
  readonly isTrusting?: boolean
  /** Waits for our MCP server: otherwise Codex 0.166 begins without the tools of one that is slow to start. */
  readonly needsTools?: boolean
}

/** Codex 0.166 offers its subagents to a model that it has no list of tools for, and patches to the ones it knows. */
export const MODEL_WITH_SUBAGENTS = 'scripted-model'

/** The real Codex in a home of its own, with the scripted model as its only model. */
export class Codex extends RealClient {
  static async create(input: ClientInput & { readonly hasPlugins?: boolean }): Promise<Codex> {
    const client = new Codex(await codexProgram(), input)
    await mkdir(client.home)
    await client.workspace.putOnPath('codex', client.program)
    await client.workspace.putOnPath('holdfast', holdfastProgram)
    await writeFile(client.configFile, client.#settings(input.hasPlugins === true))
    return client
  }

  get home(): string {
    return join(this.workspace.dir, 'codex')
  }

  get configFile(): string {
    return join(this.home, 'config.toml')
  }

  /** With the client on the path, as a person has it: `holdfast doctor` asks it. */
  get environment(): Record<string, string> {
    const { PATH = '', ...rest } = this.workspace.environment
    return { ...rest, PATH: `${this.workspace.binDir}:${PATH}`, CODEX_HOME: this.home, ...this.extraEnvironment }
  }

  start(prompt: string, options: RunOptions = {}): RunningClient {
    const model = options.model === undefined ? [] : ['--model', options.model]
    const trust = options.isTrusting === true ? ['--dangerously-bypass-hook-trust'] : []
    const tools = options.needsTools === true ? ['required=true', 'startup_timeout_sec=100'] : []
    const waiting = tools.flatMap((setting) => ['--config', `mcp_servers.holdfast.${setting}`])
    const flags = ['--json', '--skip-git-repo-check', ...model, ...trust, ...waiting]
    const what = options.resume === undefined ? [prompt] : ['resume', options.resume, prompt]
    return this.#spawn(['exec', ...flags, ...what])
  }

  /** One `codex exec` from start to end. Fails when it named no session. */
  async run(prompt: string, options: RunOptions = {}): Promise<CodexRun> {
    const { code, stdout, stderr } = await this.start(prompt, options).done
    const lines = stdout.split('\n').flatMap((line) => {
      const parsed = line.startsWith('{') ? Line.safeParse(JSON.parse(line)) : undefined
      return parsed?.success === true ? [parsed.data] : []
    })
    const sessionId = lines.find((line) => line.thread_id !== undefined)?.thread_id
    if (sessionId === undefined) throw new Error(`Codex ended with ${code} and no session.\n${stdout}\n${stderr}`)
    const items = lines.flatMap((line) =>
      line.type === 'item.completed' && line.item !== undefined ? [line.item] : [],
    )
    return {
      exitCode: code,
      sessionId,
      said: items.findLast((item) => item.type === 'agent_message')?.text ?? '',
      complaints: items.flatMap((item) => (item.type === 'error' ? [item.message ?? ''] : [])),
    }
  }

  /** What a person does in `/hooks`: the hash that Codex itself names for each hook goes into its settings. */
  async trustHooks(): Promise<void> {
    const child = spawn(this.program, ['app-server'], {
      cwd: this.workspace.project,
      env: this.environment,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: RUN_TIMEOUT_MS,
    })
    const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
    send({ id: 0, method: 'initialize', params: { clientInfo: { name: 'test', title: 'test', version: '0' } } })
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = z
        .looseObject({ id: z.number().optional(), result: z.unknown().optional() })
        .parse(JSON.parse(line))
      if (id === 0) {
        send({ method: 'initialized' })
        send({ id: 1, method: 'hooks/list', params: { cwds: [this.workspace.project] } })
      }
      if (id !== 1) continue
      child.kill('SIGKILL')
      const hooks = HookList.parse(result).data.flatMap((place) => place.hooks)
      const tables = hooks.map(
        (hook) => `\n[hooks.state.${JSON.stringify(hook.key)}]\ntrusted_hash = "${hook.currentHash}"\n`,
      )
      await appendFile(this.configFile, tables.join(''))
    }
  }

  /** A command of Codex's own, such as `codex plugin add`. */
  async command(args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await this.#spawn(args).done
    if (code !== 0) throw new Error(`codex ${args.join(' ')} ended with ${code}.\n${stdout}\n${stderr}`)
  }

  #spawn(args: readonly string[]): RunningClient {
    return new RunningClient(
      spawn(this.program, [...args], {
        cwd: this.workspace.project,
        env: this.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: RUN_TIMEOUT_MS,
      }),
    )
  }

  /** Without plugins it looks for none, neither on the disk nor elsewhere. */
  #settings(hasPlugins: boolean): string {
    return `# Settings of a person's own, with a comment.
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
model_auto_compact_token_limit = ${COMPACT_AT_TOKENS}
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
apps = false
plugins = ${hasPlugins}
remote_plugin = false
api_key_model_discovery = false

[model_providers.scripted]
name = "Scripted"
base_url = "${this.model.url}/v1"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`
  }
}

/** The native program comes as an optional dependency for this platform. */
export async function codexProgram(): Promise<string> {
  const modules = join(await installClient(codex), 'node_modules', '@openai')
  const folders = (await readdir(modules)).filter((name) => name.startsWith('codex-'))
  for (const folder of folders) {
    const vendor = join(modules, folder, 'vendor')
    for (const target of existsSync(vendor) ? await readdir(vendor) : []) {
      const program = join(vendor, target, 'bin', process.platform === 'win32' ? 'codex.exe' : 'codex')
      if (existsSync(program)) return program
    }
  }
  throw new Error(`The client codex ${codex.version} has no program for ${process.platform}-${process.arch}.`)
}
