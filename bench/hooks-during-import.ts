// bench: wall time of the prompt and tool hooks over HTTP, with nothing else going on and while an import runs
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureDaemon } from '../src/client/daemon-process.ts'
import { findBudgetMs } from '../src/hook/budget.ts'
import { type Home, resolveHome } from '../src/platform/base/home.ts'
import { benchArguments } from './arguments.ts'
import { stopDaemon } from './stop-daemon.ts'

const USAGE =
  'usage: npm run bench -- hooks-during-import [--from DIR] [--calls N]   without --from, transcripts are made up'
/** A prompt that was not answered by then goes on without us. */
const PROMPT_BUDGET_MS = findBudgetMs('UserPromptSubmit')
const PAUSE_MS = 20
const root = process.env['HOLDFAST_ROOT'] ?? process.cwd()

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}

/** Sessions with long outputs, as real ones have them: what is costly to redact and to keep. */
function madeUp(folder: string): void {
  const output = 'src/parser.ts:12:3 - warning: blank lines are dropped by splitLines(text)\n'.repeat(60)
  for (let session = 0; session < 12; session += 1) {
    const key = `made-up-${session}`
    const lines = Array.from({ length: 240 }, (_, turn) => {
      const timestamp = new Date(Date.UTC(2026, 0, 1 + session, 0, turn)).toISOString()
      const base = { sessionId: key, cwd: '/nowhere/app', gitBranch: 'main', version: '2.1.325', timestamp }
      const id = `toolu_${key}_${turn >> 1}`
      const call = { type: 'tool_use', id, name: 'Bash', input: { command: `npm test -- part${turn}` } }
      const result = { type: 'tool_result', tool_use_id: id, content: output }
      const message =
        turn === 0
          ? { role: 'user', content: 'Make the parser keep blank lines.' }
          : turn % 2 === 0
            ? { role: 'user', content: [result] }
            : {
                role: 'assistant',
                id: `msg_${key}_${turn}`,
                content: [{ ...call, id: `toolu_${key}_${(turn + 1) >> 1}` }],
              }
      return JSON.stringify({ ...base, uuid: `${key}-${turn}`, type: message.role, message })
    })
    const file = join(folder, `${key}.jsonl`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    const then = new Date(Date.now() - 3_600_000)
    utimesSync(file, then, then)
  }
}

class Harness {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: string
  readonly #token: string
  #calls = 0

  constructor(private readonly home: Home) {
    const [, port = '', token = ''] = readFileSync(home.launcherFile, 'utf8').split('\n')
    this.#port = port
    this.#token = token
  }

  /** A prompt, then a tool: how long each was waited for. */
  async turn(): Promise<{ prompt: number; tool: number }> {
    this.#calls += 1
    const common = { session_id: 'bench-session', transcript_path: join(this.home.root, 'none'), cwd: this.home.root }
    const prompt = await this.#post('UserPromptSubmit', { ...common, prompt: `Step ${this.#calls} of the plan.` })
    const tool = await this.#post('PostToolUse', {
      ...common,
      tool_name: 'Bash',
      tool_input: { command: 'npm test -- parser' },
      tool_response: { stdout: 'ok parser accepts empty lines\n'.repeat(40), stderr: '', interrupted: false },
      tool_use_id: `toolu_bench_${this.#calls}`,
    })
    return { prompt, tool }
  }

  #post(hook: string, payload: object): Promise<number> {
    const body = JSON.stringify({ hook_event_name: hook, ...payload })
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${this.#token}`,
    }
    return new Promise((resolve, reject) => {
      const startedMs = performance.now()
      const url = `http://127.0.0.1:${this.#port}/hook/claude-code/${hook}`
      request(url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - startedMs)
          else reject(new Error(`The hook was answered with ${response.statusCode}.`))
        })
      })
        .on('error', reject)
        .end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

interface Times {
  readonly prompt: number[]
  readonly tool: number[]
}

async function measureWhile(harness: Harness, goesOn: (done: number) => boolean): Promise<Times> {
  const times: Times = { prompt: [], tool: [] }
  for (let done = 0; goesOn(done); done += 1) {
    const { prompt, tool } = await harness.turn()
    times.prompt.push(prompt)
    times.tool.push(tool)
    await sleep(PAUSE_MS)
  }
  return times
}

function tell(name: string, times: Times): void {
  for (const [hook, values] of Object.entries(times)) {
    const shown = [0.5, 0.95, 0.99, 1].map((share) => quantile(values, share).toFixed(1).padStart(7))
    const [p50, p95, p99, max] = shown
    console.log(
      `${name.padEnd(14)} ${hook.padEnd(7)} p50 ${p50}  p95 ${p95}  p99 ${p99}  max ${max} ms  (${values.length})`,
    )
  }
}

async function main(): Promise<number> {
  const options = { from: { type: 'string' }, calls: { type: 'string', default: '200' } } as const
  const { values } = benchArguments({ options })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const home = resolveHome({ HOLDFAST_HOME: join(folder, 'home') })
  const env = { ...process.env, HOLDFAST_HOME: home.root }
  const from = values.from ?? join(folder, 'transcripts')
  if (values.from === undefined) {
    mkdirSync(from)
    madeUp(from)
  }
  try {
    await ensureDaemon({ home, env, script: join(root, 'dist', 'daemon.js') })
    const harness = new Harness(home)
    await measureWhile(harness, (done) => done < 20)
    const calls = Number(values.calls)
    const alone = await measureWhile(harness, (done) => done < calls)
    const importing = spawn(process.execPath, [join(root, 'bin', 'holdfast'), 'import', '--from', from], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    importing.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    let isOver = false
    const ended = once(importing, 'close').then(([code]) => {
      isOver = true
      return code
    })
    const startedMs = performance.now()
    const during = await measureWhile(harness, () => !isOver)
    const tookMs = performance.now() - startedMs
    const code: unknown = await ended
    harness.close()
    tell('alone', alone)
    tell('during import', during)
    console.log(`${said.split('\n')[0] ?? ''} ${Math.round(tookMs)} ms`)
    const p99 = quantile(during.prompt, 0.99)
    const isMet = code === 0 && p99 < PROMPT_BUDGET_MS && during.prompt.length > 20
    const verdict = isMet ? 'met' : 'MISSED'
    console.log(
      `hooks-during-import: prompts p99 ${p99.toFixed(0)} ms (limit ${PROMPT_BUDGET_MS}), p50 ${(quantile(during.prompt, 0.5) / quantile(alone.prompt, 0.5)).toFixed(2)}x what they take alone: ${verdict}`,
    )
    return isMet ? 0 : 1
  } finally {
    await stopDaemon(home)
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(USAGE)
  throw error
}
