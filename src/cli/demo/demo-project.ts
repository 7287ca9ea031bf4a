import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-shape.ts'

export interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly input?: string
  readonly shell?: boolean
}

const TIMEOUT_MS = 15_000

function runProcess(program: string, args: readonly string[], options: RunOptions): Promise<ProcessResult> {
  const { cwd, env, input = '', shell = false } = options
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { cwd, env, shell, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
    })
    // A hook may exit before it has read all its input.
    child.stdin.on('error', () => undefined)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(input)
  })
}

/** Runs this program again with another home. */
export class HoldfastCli {
  readonly #env: NodeJS.ProcessEnv
  readonly #cwd: string

  constructor(env: NodeJS.ProcessEnv, cwd: string) {
    this.#env = env
    this.#cwd = cwd
  }

  run(...words: readonly string[]): Promise<ProcessResult> {
    const [node, script = ''] = process.argv
    return runProcess(node ?? process.execPath, [realpathSync(script), ...words], { cwd: this.#cwd, env: this.#env })
  }

  /** The parsed `--json` output. Throws when the command failed. */
  async json(...words: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(...words, '--json')
    if (code !== 0) {
      throw new HoldfastError('internal', `holdfast ${words.join(' ')} failed: ${(stdout || stderr).trim()}`)
    }
    return JSON.parse(stdout)
  }
}

/** The settings file before init; uninstall must restore exactly this. */
const SETTINGS_BEFORE = `{
    // the demo's user likes comments and four spaces
    "theme": "dark"
}
`

interface InstalledHook {
  readonly type: string
  readonly command?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

function installedHook(settings: string, hook: string): InstalledHook {
  // JSON.parse does not accept the comment in SETTINGS_BEFORE.
  const parsed: unknown = JSON.parse(settings.replace(/^\s*\/\/.*$/gm, ''))
  const groups = isObject(parsed) && isObject(parsed.hooks) ? parsed.hooks[hook] : undefined
  const [group]: readonly unknown[] = Array.isArray(groups) ? groups : []
  const [entry]: readonly unknown[] = isObject(group) && Array.isArray(group.hooks) ? group.hooks : []
  if (!isObject(entry)) throw new HoldfastError('internal', `init installed nothing for ${hook}.`)
  return {
    type: String(entry.type),
    ...(typeof entry.command === 'string' && { command: entry.command }),
    ...(typeof entry.url === 'string' && { url: entry.url }),
    ...(isObject(entry.headers) && {
      headers: Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name, String(value)])),
    }),
  }
}

function post({ url = '', headers = {} }: InstalledHook, body: string): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    // For the harness, an unreachable daemon is a hook without output.
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

/** A temporary project, Holdfast home and Claude Code configuration; deleted on dispose. */
export class DemoProject implements AsyncDisposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-demo-')))
  readonly path = join(this.root, 'pages')
  readonly claudeDir = join(this.root, 'claude')
  readonly settingsFile = join(this.claudeDir, 'settings.json')
  readonly cli: HoldfastCli
  readonly #env: NodeJS.ProcessEnv
  readonly #agents: ChildProcess[] = []

  constructor(env: NodeJS.ProcessEnv) {
    const user = join(this.root, 'user')
    for (const folder of [this.path, this.claudeDir, user]) mkdirSync(folder)
    writeFileSync(this.settingsFile, SETTINGS_BEFORE)
    const { PATH, SystemRoot, LANG } = env
    this.#env = {
      PATH,
      ...(SystemRoot !== undefined && { SystemRoot }),
      ...(LANG !== undefined && { LANG }),
      HOME: user,
      USERPROFILE: user,
      TMPDIR: this.root,
      HOLDFAST_HOME: join(this.root, 'home'),
      CLAUDE_CONFIG_DIR: this.claudeDir,
      GIT_CONFIG_GLOBAL: join(user, 'no-gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
    }
    this.cli = new HoldfastCli(this.#env, this.path)
  }

  /** Writes a file of the project and returns its path. */
  write(path: string, text: string): string {
    const file = join(this.path, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  run(program: string, args: readonly string[]): Promise<ProcessResult> {
    return runProcess(program, args, { cwd: this.path, env: this.#env })
  }

  /** Runs the hook that is installed in the settings, with the payload on stdin or in the request. */
  async fire(hook: string, payload: Readonly<Record<string, unknown>>, agentPid: number): Promise<ProcessResult> {
    const installed = installedHook(readFileSync(this.settingsFile, 'utf8'), hook)
    const body = JSON.stringify({ ...payload, hook_event_name: hook })
    if (installed.type === 'http') return post(installed, body)
    return runProcess(installed.command ?? '', [], {
      cwd: this.path,
      env: { ...this.#env, CLAUDE_PID: String(agentPid), CLAUDE_PROJECT_DIR: this.path },
      input: body,
      shell: true,
    })
  }

  /** Starts an idle process in place of the agent. */
  startAgent(): number {
    const agent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', env: this.#env })
    this.#agents.push(agent)
    if (agent.pid === undefined) throw new HoldfastError('internal', 'The stand-in for the agent did not start.')
    return agent.pid
  }

  async killAgent(pid: number): Promise<void> {
    const agent = this.#agents.find((candidate) => candidate.pid === pid)
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return
    agent.kill('SIGKILL')
    await once(agent, 'exit')
  }

  /** Kills the daemon and returns its pid; undefined when it was not running. */
  async killDaemon(): Promise<number | undefined> {
    const pid = this.#daemonPid()
    if (pid === undefined) return undefined
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It had already ended; the endpoint file is stale.
      return undefined
    }
    await sleep(50)
    return pid
  }

  #daemonPid(): number | undefined {
    const file = join(this.root, 'home', 'run', 'endpoint.json')
    if (!existsSync(file)) return undefined
    const endpoint: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isObject(endpoint) && typeof endpoint.pid === 'number' ? endpoint.pid : undefined
  }

  get isSettingsRestored(): boolean {
    return readFileSync(this.settingsFile, 'utf8') === SETTINGS_BEFORE
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents) agent.kill('SIGKILL')
    const stopped = await this.cli.run('daemon', 'stop')
    if (stopped.code !== 0) await this.killDaemon()
    try {
      rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    } catch (cause) {
      throw new HoldfastError(
        'internal',
        `The demo's folder ${this.root} could not be removed: ${getErrorMessage(cause)}.`,
        {
          hint: 'Remove it by hand.',
          cause,
        },
      )
    }
  }
}
