// bench: wall time of the installed prompt hook, by launcher, Node client and HTTP, against starting Node at all
import { execFileSync, spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDaemon } from '../src/client/daemon-process.ts'
import { exchange } from '../src/client/http.ts'
import { launcherCommand } from '../src/install/edits/launcher-command.ts'
import { type Home, resolveHome } from '../src/platform/base/home.ts'
import { ROUTES } from '../src/api/route-table.ts'
import { benchArguments } from './arguments.ts'
import { stopDaemon } from './stop-daemon.ts'

const LIMITS = { launcher: 0.45, nodeClient: 1.4, httpMs: 3 } as const
const NODE_CLIENT = 'node client'
const SYNCING = ', sync'
/** Starting Node has nothing to do with it: the control, after which the launcher is called in both homes. */
const NAMES_WITH_SYNC: ReadonlySet<string> = new Set(['node -e 0', 'launcher'])
const root = process.env['HOLDFAST_ROOT'] ?? process.cwd()
const dist = join(root, 'dist')

function payloadFor(cwd: string): string {
  const prompt = 'Make the parser accept empty lines, and add a test for a file that ends in one. '.repeat(20)
  return JSON.stringify({
    session_id: 'bench-session',
    transcript_path: join(cwd, 'none.jsonl'),
    cwd,
    hook_event_name: 'UserPromptSubmit',
    prompt,
  })
}

/** An agent's tools come in bursts; `http first` is the one that finds daemon and disk asleep. */
const TOOLS_PER_BURST = 5

/** What the harness posts by itself after a tool: the hooks that are installed as HTTP are of this kind. */
function toolPayload(cwd: string, call: string): string {
  return JSON.stringify({
    session_id: 'bench-session',
    transcript_path: join(cwd, 'none.jsonl'),
    cwd,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'npm test -- parser', description: 'Run the parser tests' },
    tool_response: { stdout: 'ok parser accepts empty lines\n'.repeat(40), stderr: '', interrupted: false },
    tool_use_id: `toolu_bench_${call}`,
  })
}

interface Contender {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

function contenders(home: Home): readonly Contender[] {
  const command = launcherCommand({
    harness: 'claude-code',
    hook: 'UserPromptSubmit',
    distDir: dist,
    holdfastHome: home.root,
    pidVariable: 'CLAUDE_PID',
    nodePath: process.execPath,
    platform: process.platform,
    exists: existsSync,
  })
  return [
    { name: 'true', command: ['true'] },
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    { name: 'launcher', command: ['/bin/sh', '-c', command] },
    { name: NODE_CLIENT, command: [process.execPath, join(dist, 'hook.cjs'), 'claude-code', 'UserPromptSubmit'] },
  ]
}

function wallMs({ name, command }: Contender, payloadFile: string, env: NodeJS.ProcessEnv): number {
  const [file, ...args] = command
  // The Node client gets its payload from the launcher, by a pipe. `input` would make it a socket, which costs it a stream.
  const fd = openSync(payloadFile, 'r')
  const source: SpawnSyncOptions =
    name === NODE_CLIENT ? { stdio: [fd, 'pipe', 'pipe'] } : { input: readFileSync(payloadFile) }
  const startedMs = performance.now()
  const { status, stderr } = spawnSync(file, args, { ...source, env, encoding: 'utf8' })
  const tookMs = performance.now() - startedMs
  closeSync(fd)
  if (status !== 0 || stderr !== '') throw new Error(`${name} ended with ${status}: ${stderr}`)
  return tookMs
}

/** As a harness that calls HTTP by itself does it: one connection, kept. */
function postMs(agent: Agent, url: string, token: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${token}`,
    }
    request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - startedMs)
        else reject(new Error(`The HTTP hook was answered with ${response.statusCode}.`))
      })
    })
      .on('error', reject)
      .end(body)
  })
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}

const median = (values: readonly number[]) => quantile(values, 0.5)

/** What the hooks of one home are called with. */
interface Caller {
  readonly home: Home
  /** Appended to the names of what is measured. */
  readonly suffix: string
  readonly all: readonly Contender[]
  readonly env: NodeJS.ProcessEnv
  readonly payloadFile: string
  readonly url: string
  readonly token: string
}

function aCaller(home: Home, suffix = ''): Caller {
  // Node 20 parses that file at every start; unset for all alike.
  const own = { NODE_EXTRA_CA_CERTS: undefined, HOLDFAST_HOME: home.root, CLAUDE_PID: String(process.pid) }
  const payloadFile = join(home.root, 'payload.json')
  writeFileSync(payloadFile, payloadFor(home.root))
  const [, port = '', token = ''] = readFileSync(home.launcherFile, 'utf8').split('\n')
  const url = `http://127.0.0.1:${port}/hook/claude-code/PostToolUse`
  const all = contenders(home).filter(({ name }) => suffix === '' || NAMES_WITH_SYNC.has(name))
  return { home, suffix, all, env: { ...process.env, ...own }, payloadFile, url, token }
}

/** By turns, one call of each in a round. */
async function measure(callers: readonly Caller[], rounds: number): Promise<ReadonlyMap<string, number[]>> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers.length })
  const times = new Map<string, number[]>()
  const note = (name: string, tookMs: number) => times.set(name, [...(times.get(name) ?? []), tookMs])
  for (let round = -3; round < rounds; round += 1)
    for (const { home, suffix, all, env, payloadFile, url, token } of round % 2 === 0
      ? callers
      : callers.toReversed()) {
      for (const contender of all) {
        const tookMs = wallMs(contender, payloadFile, env)
        if (round >= 0) note(contender.name + suffix, tookMs)
      }
      for (let call = 0; call < TOOLS_PER_BURST; call += 1) {
        const tookMs = await postMs(agent, url, token, toolPayload(home.root, `${round}_${call}`))
        if (round < 0) continue
        note(`http${suffix}`, tookMs)
        if (call === 0) note(`http first${suffix}`, tookMs)
      }
    }
  agent.destroy()
  return times
}

/** Starts the daemon of a home with a space, which it exchanges with. */
function startSyncing(home: Home, folder: string, everyMs: string): void {
  const env = { ...process.env, HOLDFAST_HOME: home.root }
  const stick = join(folder, 'stick')
  mkdirSync(stick)
  for (const args of [
    ['config', 'set', 'sync.everyMs', everyMs],
    ['sync', 'add', stick],
  ])
    execFileSync(process.execPath, [join(root, 'bin', 'holdfast'), ...args], { env, cwd: folder, stdio: 'ignore' })
}

/** Every event must have reached the daemon: a hook that spools is fast for the wrong reason. */
async function spoolBacklog(home: Home): Promise<number> {
  const { method, path } = ROUTES.health
  const reply = await exchange({ socketPath: home.socket, method, path, deadlineMs: 5_000, maxReplyBytes: 100_000 })
  return Number(/"spoolBacklog":(\d+)/.exec(reply.body.toString('utf8'))?.[1] ?? Number.NaN)
}

async function main(argv: readonly string[]): Promise<number> {
  const { values } = benchArguments({
    args: [...argv],
    options: { rounds: { type: 'string', default: '240' }, 'sync-every': { type: 'string', default: '180000' } },
  })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const home = resolveHome({ HOLDFAST_HOME: join(folder, 'home') })
  const syncing = resolveHome({ HOLDFAST_HOME: join(folder, 'syncing') })
  const env = { ...process.env, HOLDFAST_HOME: home.root }
  try {
    await ensureDaemon({ home, env, script: join(dist, 'daemon.js') })
    startSyncing(syncing, folder, values['sync-every'])
    const times = await measure([aCaller(home), aCaller(syncing, SYNCING)], Number(values.rounds))
    for (const [name, measured] of times) {
      const shown = [0, 0.5, 0.95].map((share) => quantile(measured, share).toFixed(1).padStart(7))
      console.log(`${name.padEnd(16)} min ${shown[0]}  p50 ${shown[1]}  p95 ${shown[2]} ms`)
    }
    const p50 = (name: string) => median(times.get(name) ?? [])
    const launcher = p50('launcher') / p50('node -e 0')
    const nodeClient = p50('node client') / p50('node -e 0')
    const [backlog, logged] = [await spoolBacklog(home), existsSync(home.hookLog)]
    const isMet =
      launcher <= LIMITS.launcher && nodeClient <= LIMITS.nodeClient && p50('http') < LIMITS.httpMs && backlog === 0
    const compare = (name: string) => `${name} ${(p50(name + SYNCING) / p50(name)).toFixed(2)}x`
    console.log(
      `hook-latency with an exchange every ${values['sync-every']} ms: ${compare('launcher')}, ${compare('http')} (control: ${compare('node -e 0')})`,
    )
    console.log(
      `hook-latency: launcher ${launcher.toFixed(2)}x node -e 0 (limit ${LIMITS.launcher}), node client ${nodeClient.toFixed(2)}x (limit ${LIMITS.nodeClient}), http p50 ${p50('http').toFixed(2)} ms (limit ${LIMITS.httpMs}), spooled ${backlog}${logged ? ', some calls late' : ''}: ${isMet ? 'met' : 'MISSED'}`,
    )
    return isMet ? 0 : 1
  } finally {
    for (const one of [home, syncing]) await stopDaemon(one)
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
