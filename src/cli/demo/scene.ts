import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { HoldfastCli, isRecord, type Ran, runProcess } from './processes.ts'

/** Somebody's settings from before: uninstall has to give back exactly this. */
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
  // The comment in SETTINGS_BEFORE is for the installer to keep; nothing else in the file has one.
  const parsed: unknown = JSON.parse(settings.replace(/^\s*\/\/.*$/gm, ''))
  const groups = isRecord(parsed) && isRecord(parsed.hooks) ? parsed.hooks[hook] : undefined
  const [group]: readonly unknown[] = Array.isArray(groups) ? groups : []
  const [entry]: readonly unknown[] = isRecord(group) && Array.isArray(group.hooks) ? group.hooks : []
  if (!isRecord(entry)) throw new HoldfastError('internal', `init installed nothing for ${hook}.`)
  return {
    type: String(entry.type),
    ...(typeof entry.command === 'string' && { command: entry.command }),
    ...(typeof entry.url === 'string' && { url: entry.url }),
    ...(isRecord(entry.headers) && {
      headers: Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name, String(value)])),
    }),
  }
}

function post({ url = '', headers = {} }: InstalledHook, body: string): Promise<Ran> {
  return new Promise((resolve) => {
    const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    // To a harness, a daemon that is away is a hook that said nothing.
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

/** A temporary project, a temporary Holdfast home and a temporary Claude Code configuration; all of it goes at the end. */
export class DemoScene implements AsyncDisposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-demo-')))
  readonly project = join(this.root, 'pages')
  readonly claudeDir = join(this.root, 'claude')
  readonly settingsFile = join(this.claudeDir, 'settings.json')
  readonly cli: HoldfastCli
  readonly #env: NodeJS.ProcessEnv
  readonly #agents: ChildProcess[] = []

  constructor(env: NodeJS.ProcessEnv) {
    const user = join(this.root, 'user')
    for (const folder of [this.project, this.claudeDir, user]) mkdirSync(folder)
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
    this.cli = new HoldfastCli(this.#env, this.project)
  }

  /** A file of the project, really on disk. */
  write(path: string, text: string): string {
    const file = join(this.project, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  run(program: string, args: readonly string[]): Promise<Ran> {
    return runProcess(program, args, { cwd: this.project, env: this.#env })
  }

  /** Fires a hook as the harness would: what stands in the settings, with the payload on stdin or in the request. */
  async fire(hook: string, payload: Readonly<Record<string, unknown>>, agentPid: number): Promise<Ran> {
    const installed = installedHook(readFileSync(this.settingsFile, 'utf8'), hook)
    const body = JSON.stringify({ ...payload, hook_event_name: hook })
    if (installed.type === 'http') return post(installed, body)
    return runProcess(installed.command ?? '', [], {
      cwd: this.project,
      env: { ...this.#env, CLAUDE_PID: String(agentPid), CLAUDE_PROJECT_DIR: this.project },
      input: body,
      shell: true,
    })
  }

  /** A process that stands in for the agent: alive, and of no other use. */
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

  /** The daemon's pid after `kill -9`; undefined when none ran. */
  async killDaemon(): Promise<number | undefined> {
    const pid = this.#daemonPid()
    if (pid === undefined) return undefined
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It had ended by itself; the endpoint file is older than that.
      return undefined
    }
    await sleep(50)
    return pid
  }

  #daemonPid(): number | undefined {
    const file = join(this.root, 'home', 'run', 'endpoint.json')
    if (!existsSync(file)) return undefined
    const endpoint: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(endpoint) && typeof endpoint.pid === 'number' ? endpoint.pid : undefined
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
      throw new HoldfastError('internal', `The demo's folder ${this.root} could not be removed: ${messageOf(cause)}.`, {
        hint: 'Remove it by hand.',
        cause,
      })
    }
  }
}
