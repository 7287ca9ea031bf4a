import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { resolveHome } from '../../src/platform/base/home.ts'

/** A bench is bundled into another folder. */
const root = process.env.HOLDFAST_ROOT ?? join(import.meta.dirname, '..', '..')

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface CommandHook {
  readonly type: 'command'
  readonly command: string
}
interface HttpHook {
  readonly type: 'http'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}
type InstalledHook = CommandHook | HttpHook
interface InstalledSettings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly InstalledHook[] }[]>>
}

export interface HookOptions {
  /** The stand-in agent whose process the session runs in. */
  readonly pid?: number
  readonly env?: NodeJS.ProcessEnv
}

/** For tests that are not about deadlines: on a busy machine a hook that gives up reports later, and the test sees too little. */
export const PATIENT = { HOLDFAST_HOOK_BUDGET_MS: '20000' }

/** The built product in a folder of its own: its home, a Claude Code configuration, and nothing of the user's. */
export class Product implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'holdfast-journey-'))
  readonly home = join(this.dir, 'home')
  readonly claudeDir = join(this.dir, 'claude')
  readonly env: NodeJS.ProcessEnv
  #agents: ChildProcess[] = []

  constructor(extraEnv: NodeJS.ProcessEnv = {}) {
    mkdirSync(this.claudeDir)
    this.env = {
      PATH: process.env.PATH,
      HOME: join(this.dir, 'user'),
      TMPDIR: this.dir,
      HOLDFAST_HOME: this.home,
      CLAUDE_CONFIG_DIR: this.claudeDir,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      ...extraEnv,
    }
    mkdirSync(join(this.dir, 'user'))
  }

  async run(
    command: string,
    args: readonly string[],
    options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Ran> {
    const child = execFile(command, args, {
      cwd: options.cwd ?? this.dir,
      env: { ...this.env, ...options.env },
      timeout: 120_000,
      maxBuffer: 64_000_000,
    })
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stderr?.on('data', (chunk: string) => {
      stderr += chunk
    })
    // A hook may answer without reading its input to the end.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
    const [code] = await once(child, 'close')
    return { code: typeof code === 'number' ? code : null, stdout, stderr }
  }

  cli(args: readonly string[], options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Ran> {
    return this.run(process.execPath, [join(root, 'bin', 'holdfast'), ...args], options)
  }

  /** Runs a command that must succeed, and gives what it printed as JSON. */
  async json(args: readonly string[], options: { cwd?: string } = {}): Promise<unknown> {
    const ran = await this.cli([...args, '--json'], options)
    if (ran.code !== 0) throw new Error(`holdfast ${args.join(' ')} exited ${ran.code}: ${ran.stderr}${ran.stdout}`)
    return JSON.parse(ran.stdout)
  }

  async connect(): Promise<void> {
    const ran = await this.cli(['init', '--harness', 'claude-code', '--yes'])
    if (ran.code !== 0) throw new Error(`init failed: ${ran.stderr}${ran.stdout}`)
  }

  /** A repository with one commit, as a user would have it. */
  async aProject(name: string): Promise<string> {
    const dir = join(this.dir, name)
    mkdirSync(join(dir, 'src'), { recursive: true })
    writeFileSync(join(dir, 'src', 'parser.ts'), 'export const parse = (text: string) => text.split("\\n")\n')
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '.'],
      ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-qm', 'first', '-m', name],
    ]) {
      const ran = await this.run('git', args, { cwd: dir })
      if (ran.code !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`)
    }
    return dir
  }

  #installed(hook: string): InstalledHook {
    const settings: InstalledSettings = JSON.parse(readFileSync(join(this.claudeDir, 'settings.json'), 'utf8'))
    const found = settings.hooks[hook]?.[0]?.hooks[0]
    if (found === undefined) throw new Error(`init installed nothing for ${hook}`)
    return found
  }

  /** Fires a hook exactly as it was installed: the command through a shell, or the HTTP call. */
  async hook(hook: string, payload: Readonly<Record<string, unknown>>, options: HookOptions = {}): Promise<Ran> {
    const installed = this.#installed(hook)
    const body = JSON.stringify({ hook_event_name: hook, ...payload })
    if (installed.type === 'http') return post(installed, body)
    return this.run('/bin/sh', ['-c', installed.command], {
      input: body,
      env: { ...(options.pid === undefined ? {} : { CLAUDE_PID: String(options.pid) }), ...options.env },
    })
  }

  /** A GET request over the daemon's socket. */
  async get(path: string): Promise<unknown> {
    const { socket } = resolveHome({ HOLDFAST_HOME: this.home })
    const call = request({ socketPath: socket, path, headers: { host: 'localhost' } }).end()
    const [response] = await once(call, 'response')
    let body = ''
    for await (const chunk of response) body += String(chunk)
    return JSON.parse(body)
  }

  async isDaemonReady(): Promise<boolean> {
    return this.get('/api/health').then(
      () => true,
      () => false,
    )
  }

  /** A process that does nothing: what an agent is to a session's liveness. */
  anAgent(): number {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', env: this.env })
    this.#agents.push(child)
    if (child.pid === undefined) throw new Error('no agent')
    return child.pid
  }

  async kill(pid: number): Promise<void> {
    const agent = this.#agents.find((child) => child.pid === pid)
    killHard(pid)
    if (agent !== undefined && agent.exitCode === null && agent.signalCode === null) await once(agent, 'exit')
  }

  daemonPid(): number | undefined {
    return pidIn(join(this.home, 'run', 'endpoint.json'))
  }

  /** kill -9, and wait until the process is gone. */
  async killDaemon(): Promise<void> {
    const pid = this.daemonPid()
    if (pid === undefined) throw new Error('no daemon to kill')
    killHard(pid)
    await waitUntil(() => !isAlive(pid), 'the daemon is gone')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents) agent.kill('SIGKILL')
    // A daemon that a late hook started may not have said where it is yet.
    for (const pid of [this.daemonPid(), ...pidsWithHome(this.home)]) {
      if (pid !== undefined && isAlive(pid)) killHard(pid)
    }
    await waitUntil(() => pidsWithHome(this.home).length === 0, 'every process of this home is gone')
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The daemon that says it is there; it may take its file away, or put a new one there, at any moment. */
export function pidIn(endpointFile: string): number | undefined {
  try {
    const endpoint: { pid: number } = JSON.parse(readFileSync(endpointFile, 'utf8'))
    return endpoint.pid
  } catch {
    // None has said yet where it is, or it has just gone.
    return undefined
  }
}

/** Kill -9 of a process that may have ended by itself meanwhile. */
export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown
  }
}

/** Every process that runs with this home, from /proc; none without /proc. */
export function pidsWithHome(home: string): readonly number[] {
  return pidsNaming(`HOLDFAST_HOME=${home}\0`)
}

/** Processes in whose environment this text stands. */
export function pidsNaming(wanted: string): readonly number[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(wanted) && isAlive(pid) ? [pid] : []
    } catch {
      // It ended while we looked.
      return []
    }
  })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A killed child that nobody has waited for yet still has an entry.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Generous: only what never comes takes as long, on the slowest machine too. */
const PATIENCE_MS = 90_000

export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain until ${what}`)
    await sleep(25)
  }
}

function post(hook: HttpHook, body: string): Promise<Ran> {
  return new Promise((resolve) => {
    const call = request(hook.url, { method: 'POST', headers: { 'content-type': 'application/json', ...hook.headers } })
    // To the harness a refused connection is a hook that said nothing.
    call.on('error', (error) => resolve({ code: 1, stdout: '', stderr: error.message }))
    call.on('response', (response) => {
      let stdout = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        stdout += chunk
      })
      response.on('end', () => resolve({ code: response.statusCode === 200 ? 0 : 1, stdout, stderr: '' }))
    })
    call.end(body)
  })
}

/** What a hook put before the agent; empty when it said nothing. */
export function injectedBy(ran: Ran): string {
  if (ran.stdout.trim() === '') return ''
  const answer: { hookSpecificOutput?: { additionalContext?: string } } = JSON.parse(ran.stdout)
  return answer.hookSpecificOutput?.additionalContext ?? ''
}
