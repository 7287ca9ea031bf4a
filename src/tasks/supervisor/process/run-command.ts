import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import type { Clock } from '../../../kernel/ports/ports.ts'
import type { ProcessEnding } from '../../retry/classify-failure.ts'
import { getErrorCode } from '../../../platform/base/errno.ts'
import { endProcesses, joinMarks, RUN_MARK } from './run-processes.ts'
import type { GuardedProcesses } from './guarded-processes.ts'
import { findProcess, type ProcessRow } from './process-table.ts'
import { StringDecoder } from 'node:string_decoder'
import * as z from 'zod'

const Usage = z.object({
  input_tokens: z.number().nonnegative().optional(),
  output_tokens: z.number().nonnegative().optional(),
  cache_creation_input_tokens: z.number().nonnegative().optional(),
  cache_read_input_tokens: z.number().nonnegative().optional(),
})

/**
 * JSON output of an agent: Claude Code's `--output-format stream-json` has the usage of each message by id and a total in its
 * `result`; Codex's `--json` has one per finished turn.
 */
const Line = z.object({
  type: z.string(),
  message: z.object({ id: z.string(), usage: Usage }).optional(),
  usage: Usage.optional(),
})

const MAX_LINE = 1_000_000

function sumTokens(usage: z.infer<typeof Usage>): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.output_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    // Cheaper, but still processed.
    (usage.cache_read_input_tokens ?? 0)
  )
}

/** Counts tokens from an agent's output. Undefined until it reports any; a budget cannot be enforced until then. */
export class UsageMeter {
  #partial = ''
  #messages = new Map<string, number>()
  #turns = 0
  #result: number | undefined

  get tokens(): number | undefined {
    const byMessage = [...this.#messages.values()].reduce((sum, tokens) => sum + tokens, 0)
    const counted = Math.max(byMessage, this.#turns, this.#result ?? 0)
    return counted === 0 ? undefined : counted
  }

  add(text: string): void {
    const lines = (this.#partial + text).split('\n')
    this.#partial = (lines.pop() ?? '').slice(-MAX_LINE)
    for (const line of lines) if (line.includes('_tokens"')) this.#read(line)
  }

  #read(text: string): void {
    let parsed: z.infer<typeof Line>
    try {
      parsed = Line.parse(JSON.parse(text))
    } catch {
      // Not a usage line.
      return
    }
    // A message is printed once per part; the last one has the total.
    if (parsed.message !== undefined) this.#messages.set(parsed.message.id, sumTokens(parsed.message.usage))
    if (parsed.usage === undefined) return
    if (parsed.type === 'result') this.#result = sumTokens(parsed.usage)
    else this.#turns += sumTokens(parsed.usage)
  }
}

/** The bounded end of a process's output, in the order of arrival. */
export class OutputTail {
  readonly #maxChars: number
  readonly #decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') }
  #text = ''
  #total = 0

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  /** Bytes seen so far; shows that the process is alive. */
  get totalBytes(): number {
    return this.#total
  }

  get text(): string {
    return this.#text
  }

  add(stream: 'out' | 'err', chunk: Buffer): string {
    const text = this.#decoders[stream].write(chunk)
    this.#total += chunk.length
    this.#text += text
    // Cut rarely: cutting for every chunk would copy everything every time.
    if (this.#text.length > this.#maxChars * 2) this.#text = this.#text.slice(-this.#maxChars).toWellFormed()
    return text
  }
}

/** Why a command was ended without a failure. */
export type StopReason = 'stop-file' | 'person' | 'run-time' | 'tokens' | 'tokens-exceeded'

export interface CommandLimits {
  readonly maxMs: number
  /** Without output, heartbeat or noticeable CPU time. */
  readonly silenceMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
}

export interface CommandRequest {
  /** Started without a shell. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly runId: string
  readonly guard: GuardedProcesses
  readonly clock: Clock
  readonly limits: CommandLimits
  /** A silent agent may touch this file instead. */
  readonly heartbeatFile?: string
  /** Called several times a second. */
  readonly stopReason: (seen: { readonly tokens: number | undefined }) => StopReason | undefined
  readonly onOutput?: (stream: 'out' | 'err', text: string) => void
  /** Every few seconds while it runs. */
  readonly onPulse?: (seen: Pulse) => void
}

export interface Pulse {
  readonly output: string
  readonly tokens: number | undefined
  readonly rows: readonly ProcessRow[]
}

export interface CommandResult {
  readonly ending: ProcessEnding | { readonly how: 'stopped'; readonly by: StopReason }
  readonly output: string
  readonly tokens: number | undefined
  readonly durationMs: number
  /** Processes that SIGKILL did not end. */
  readonly left: readonly ProcessRow[]
}

const MAX_OUTPUT_CHARS = 64_000
const STEP_MS = 100
const CHECK_MS = 2_000
const CLOSE_MS = 1_000
/** The governance protocol allows five seconds for an emergency stop: two to end the processes, the rest for records. */
const EMERGENCY_GRACE_MS = 2_000
/** In hundredths of a second between two checks; less is a timer in a program that hangs. */
const BUSY_TICKS = 2

function readTouchedMs(file: string | undefined): number {
  return file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}

type Exit = Extract<ProcessEnding, { how: 'exited' | 'signalled' | 'not-started' }>

function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ how: 'not-started', code: getErrorCode(error) ?? 'unknown' }))
    child.once('exit', (status, signal) =>
      resolve(status === null ? { how: 'signalled', signal: signal ?? 'unknown' } : { how: 'exited', status }),
    )
  })
}

function startProcess({ argv, cwd, env, runId }: CommandRequest): ChildProcess | Exit {
  const [program = '', ...args] = argv
  try {
    return spawn(program, args, {
      cwd,
      env: { ...env, [RUN_MARK]: joinMarks(env[RUN_MARK], runId) },
      // Its own session, so that Ctrl-C reaches only the supervisor.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (thrown) {
    // Node itself refuses an empty name or a NUL.
    return { how: 'not-started', code: getErrorCode(thrown) ?? 'EINVAL' }
  }
}

/** Runs a command, and ends everything it started. Never throws for what the command does. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  const { guard, clock, limits } = request
  const startedMs = clock.monotonicMs()
  const tail = new OutputTail(MAX_OUTPUT_CHARS)
  const meter = new UsageMeter()
  const result = (ending: CommandResult['ending'], left: readonly ProcessRow[] = []): CommandResult => ({
    ending,
    output: tail.text,
    tokens: meter.tokens,
    durationMs: Math.round(clock.monotonicMs() - startedMs),
    left,
  })

  const child = startProcess(request)
  if ('how' in child) return result(child)
  const exited = waitForExit(child)
  const startedAt = child.pid === undefined ? undefined : findProcess(child.pid)?.startedAt
  if (child.pid !== undefined && startedAt !== undefined) guard.addLeader({ pid: child.pid, startedAt })
  for (const [name, stream] of [['out', child.stdout] as const, ['err', child.stderr] as const]) {
    stream?.on('data', (chunk: Buffer) => {
      const text = tail.add(name, chunk)
      if (name === 'out') meter.add(text)
      request.onOutput?.(name, text)
    })
    stream?.on('error', () => undefined)
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))

  const ending = await watchCommand(request, { exited, tail, meter })
  const left = await endProcesses(guard.processes, { clock, graceMs: getGraceMs(ending, limits.graceMs) })
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_MS))])
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
  return result(ending, left)
}

/** Processes left by an agent that exited get half the time; in an emergency there is little. */
function getGraceMs(ending: CommandResult['ending'], graceMs: number): number {
  if (ending.how === 'stopped' && (ending.by === 'stop-file' || ending.by === 'tokens-exceeded'))
    return Math.min(graceMs, EMERGENCY_GRACE_MS)
  return ending.how === 'exited' || ending.how === 'signalled' ? graceMs / 2 : graceMs
}

interface WatchInput {
  readonly exited: Promise<Exit>
  readonly tail: OutputTail
  readonly meter: UsageMeter
}

async function watchCommand(
  request: CommandRequest,
  { exited, tail, meter }: WatchInput,
): Promise<CommandResult['ending']> {
  const { guard, clock, limits, heartbeatFile } = request
  const startedMs = clock.monotonicMs()
  let aliveMs = startedMs
  let checkedMs = startedMs
  let activity = ''
  let cpuBefore = 0
  const checkEveryMs = Math.min(CHECK_MS, limits.silenceMs / 4)
  for (;;) {
    const exit = await Promise.race([exited, pause(STEP_MS)])
    if (exit !== undefined) return exit
    const by = request.stopReason({ tokens: meter.tokens })
    if (by !== undefined) return { how: 'stopped', by }
    const nowMs = clock.monotonicMs()
    if (nowMs - startedMs > limits.maxMs) return { how: 'time-limit' }
    if (nowMs - checkedMs > checkEveryMs) {
      checkedMs = nowMs
      const rows = guard.list()
      const cpu = rows.reduce((sum, row) => sum + row.cpu, 0)
      const now = `${tail.totalBytes} ${readTouchedMs(heartbeatFile)}`
      if (now !== activity || cpu - cpuBefore >= BUSY_TICKS) aliveMs = nowMs
      activity = now
      cpuBefore = cpu
      request.onPulse?.({ output: tail.text, tokens: meter.tokens, rows })
    }
    if (nowMs - aliveMs > limits.silenceMs) return { how: 'silent' }
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms)
  })
}
