import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { ClientInput } from './real-client.ts'
import { type PinnedClient, installClient } from './install-client.ts'
import { RunningClient } from './running-client.ts'
import type { ScriptedModel } from './scripted-model.ts'
import type { Workspace } from './workspace.ts'

export const openClaw: PinnedClient = { id: 'openclaw', package: 'openclaw', version: '2026.9.6' }

/** OpenClaw 2026.9.6 wants a newer Node than the one that runs these tests; npm has it as a package for each platform. */
const node: PinnedClient = {
  id: 'node',
  package: `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
  version: '26.10.0',
}

const RUN_TIMEOUT_MS = 300_000
const READY_MS = 240_000
const TOKEN = 'scripted-gateway-token'
/** Of which `COMPACTING_TOKENS` leaves too little for an answer. */
const CONTEXT_TOKENS = 60_000
export const COMPACTING_TOKENS = 59_000

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}

/** The real OpenClaw in a state folder of its own, with the scripted model as its only model. */
export class OpenClaw {
  #gateway: RunningClient | undefined
  #log = ''

  private constructor(
    readonly node: string,
    readonly program: string,
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly port: number,
    readonly extraEnvironment: Readonly<Record<string, string>>,
  ) {}

  static async create(input: ClientInput): Promise<OpenClaw> {
    const { nodeProgram, program } = await openClawPrograms()
    const { workspace, model, environment = {} } = input
    const client = new OpenClaw(nodeProgram, program, workspace, model, await freePort(), environment)
    await mkdir(client.stateDir, { recursive: true, mode: 0o700 })
    await writeFile(client.configFile, JSON.stringify(client.#settings(), undefined, 2), { mode: 0o600 })
    return client
  }

  get stateDir(): string {
    return join(this.workspace.dir, 'openclaw')
  }

  get configFile(): string {
    return join(this.stateDir, 'openclaw.json')
  }

  get environment(): Record<string, string> {
    const base = this.workspace.environment
    return {
      ...base,
      PATH: [dirname(this.node), base.PATH].join(':'),
      OPENCLAW_STATE_DIR: this.stateDir,
      OPENCLAW_CONFIG_PATH: this.configFile,
      OPENCLAW_DISABLE_BONJOUR: '1',
      NO_COLOR: '1',
      ...this.extraEnvironment,
    }
  }

  /** What the gateway wrote since its last start. */
  get log(): string {
    return this.#log
  }

  #spawn(args: readonly string[]): RunningClient {
    return new RunningClient(
      spawn(this.node, [this.program, ...args], {
        cwd: this.workspace.project,
        env: this.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  }

  async startGateway(): Promise<void> {
    this.#log = ''
    const gateway = this.#spawn(['gateway', 'run', '--force'])
    this.#gateway = gateway
    const note = (chunk: Buffer) => (this.#log += chunk.toString())
    gateway.child.stdout?.on('data', note)
    gateway.child.stderr?.on('data', note)
    for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += 100) {
      if (/\[gateway\] ready/.test(stripVTControlCharacters(this.#log))) return
      if (gateway.child.exitCode !== null) break
      await sleep(100)
    }
    throw new Error(`OpenClaw's gateway did not get ready:\n${this.#log.slice(-4000)}`)
  }

  /** By its own signal; it says goodbye to its sessions. */
  async stopGateway(): Promise<void> {
    const gateway = this.#gateway
    this.#gateway = undefined
    if (gateway === undefined) return
    gateway.child.kill('SIGTERM')
    const isOver = await Promise.race([gateway.done.then(() => true), sleep(60_000, false, { ref: false })])
    if (!isOver) await gateway.killHard()
  }

  async killGateway(): Promise<void> {
    const gateway = this.#gateway
    this.#gateway = undefined
    await gateway?.killHard()
  }

  startTurn(session: string, message: string): RunningClient {
    return this.#spawn(['agent', '--session-id', session, '--message', message])
  }

  /** One turn through the gateway; its last words. */
  async turn(session: string, message: string): Promise<string> {
    const running = this.startTurn(session, message)
    const overdue = setTimeout(() => running.child.kill('SIGKILL'), RUN_TIMEOUT_MS)
    const { code, stdout, stderr } = await running.done.finally(() => clearTimeout(overdue))
    if (code !== 0)
      throw new Error(`openclaw agent ended with ${code}:\n${stdout}\n${stderr}\n${this.#log.slice(-4000)}`)
    return stdout.trim()
  }

  #settings() {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const model = {
      id: 'main',
      name: 'Main',
      contextWindow: CONTEXT_TOKENS,
      maxTokens: 2_000,
      input: ['text'],
      reasoning: false,
      cost,
    }
    return {
      gateway: { mode: 'local', port: this.port, bind: 'loopback', auth: { mode: 'token', token: TOKEN } },
      update: { checkOnStart: false },
      logging: { file: join(this.stateDir, 'openclaw.log') },
      // Everything else that it could load takes most of its start.
      plugins: { allow: ['holdfast', 'openai'] },
      agents: {
        defaults: {
          workspace: this.workspace.project,
          skipBootstrap: true,
          model: { primary: 'scripted/main' },
          heartbeat: { every: '0m' },
        },
      },
      models: {
        mode: 'replace',
        providers: {
          scripted: {
            baseUrl: `${this.model.url}/v1`,
            apiKey: 'not-a-real-key',
            api: 'openai-completions',
            models: [model],
          },
        },
      },
    }
  }
}

/** OpenClaw's script, and the Node that it needs. */
export async function openClawPrograms(): Promise<{ readonly nodeProgram: string; readonly program: string }> {
  const nodeProgram = join(await installClient(node), 'node_modules', node.package, 'bin', 'node')
  if (!existsSync(nodeProgram))
    throw new Error(`The client openclaw ${openClaw.version} needs Node ${node.version}, which npm did not give.`)
  const program = join(await installClient(openClaw), 'node_modules', 'openclaw', 'openclaw.mjs')
  if (existsSync(program)) return { nodeProgram, program }
  throw new Error(`The client openclaw ${openClaw.version} has no program.`)
}
