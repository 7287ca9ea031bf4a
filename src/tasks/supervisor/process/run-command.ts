import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import type { Clock } from '../../../kernel/ports/ports.ts'
import type { Ending } from '../../retry/failure.ts'
import { errnoOf } from '../../../platform/base/errno.ts'
import { endProcesses } from './end-processes.ts'
import type { Guard } from './guard.ts'
import { findProcess, type ProcessRow } from './process-table.ts'
import { joinMarks, RUN_MARK } from './run-mark.ts'
import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'

const Usage = z.object({
  input_tokens: z.number().nonnegative().optional(),
  output_tokens: z.number().nonnegative().optional(),
  cache_creation_input_tokens: z.number().nonnegative().optional(),
  cache_read_input_tokens: z.number().nonnegative().optional(),
})

/**
 * Lines of an agent that prints JSON: Claude Code's `--output-format stream-json` tells each message's usage by id and a
 * total in its `result`; Codex's `--json` tells one for each finished turn.
 */
const Line = z.object({
  type: z.string(),
  message: z.object({ id: z.string(), usage: Usage }).optional(),
  usage: Usage.optional(),
})

const MAX_LINE = 1_000_000

function tokensOf(usage: z.infer<typeof Usage>): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.output_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    // Read from a cache for a tenth of the price, and still part of what was processed.
    (usage.cache_read_input_tokens ?? 0)
  )
}

/** Counts tokens from what an agent prints. Undefined while it has told none: a budget cannot be watched then. */
export class UsageMeter {
  #rest = ''
  #messages = new Map<string, number>()
  #turns = 0
  #result: number | undefined

  get tokens(): number | undefined {
    const byMessage = [...this.#messages.values()].reduce((sum, tokens) => sum + tokens, 0)
    const counted = Math.max(byMessage, this.#turns, this.#result ?? 0)
    return counted === 0 ? undefined : counted
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = (lines.pop() ?? '').slice(-MAX_LINE)
    for (const line of lines) if (line.includes('_tokens"')) this.#read(line)
  }

  #read(text: string): void {
    let parsed: z.infer<typeof Line>
    try {
      parsed = Line.parse(JSON.parse(text))
    } catch {
      // Not a line of ours to understand; agents print all sorts of things.
      return
    }
    // A message is told again with each of its parts, and the last time says it all.
    if (parsed.message !== undefined) this.#messages.set(parsed.message.id, tokensOf(parsed.message.usage))
    if (parsed.usage === undefined) return
    if (parsed.type === 'result') this.#result = tokensOf(parsed.usage)
    else this.#turns += tokensOf(parsed.usage)
  }
}

/** The end of what a process printed, in the order it arrived, bounded. */
export class OutputTail {
  readonly #maxChars: number
  readonly #decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') }
  #text = ''
  #total = 0

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  /** Bytes seen so far: a sign of life. */
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
    // Cut rarely, and then well below the limit: cutting for every chunk would copy everything every time.
    if (this.#text.length > this.#maxChars * 2) this.#text = this.#text.slice(-this.#maxChars).toWellFormed()
    return text
  }
}

/** Why a command was ended though it had not failed. */
export type StopReason = 'stop-file' | 'person' | 'run-time' | 'tokens' | 'tokens-exceeded'

export interface CommandLimits {
  readonly maxMs: number
  /** Without output, heartbeat or noticeable time on a processor. */
  readonly silenceMs: number
  /** Between asking and killing. */
  readonly graceMs: number
}

export interface CommandRequest {
  /** Started as it is, without a shell: each word arrives as one argument. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly runId: string
  readonly guard: Guard
  readonly clock: Clock
  readonly limits: CommandLimits
  /** An agent that is silent at its work may touch this file instead. */
  readonly heartbeatFile?: string
  /** Asked several times a second. */
  readonly stopReason: (seen: { readonly tokens: number | undefined }) => StopReason | undefined
  readonly onOutput?: (stream: 'out' | 'err', text: string) => void
  /** Every few seconds while it runs. */
  readonly onPulse?: (seen: Pulse) => void
}

export interface Pulse {
  readonly output: string
  readonly tokens: number | undefined
  /** What runs. */
  readonly rows: readonly ProcessRow[]
}

export interface CommandResult {
  readonly ending: Ending | { readonly how: 'stopped'; readonly by: StopReason }
  readonly output: string
  readonly tokens: number | undefined
  readonly durationMs: number
  /** What would not go in spite of SIGKILL: none, unless the system is in trouble. */
  readonly left: readonly ProcessRow[]
}

const MAX_OUTPUT_CHARS = 64_000
const STEP_MS = 100
const LOOK_MS = 2_000
const CLOSE_MS = 1_000
/** S2 gives an emergency five seconds in all: two to finish what was begun, the rest for its records. */
const EMERGENCY_GRACE_MS = 2_000
/** Of a hundredth of a second each, between two looks: less is a timer that ticks in a program that hangs. */
const BUSY_TICKS = 2

function touchedMs(file: string | undefined): number {
  return file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}

type Exit = Extract<Ending, { how: 'exited' | 'signalled' | 'not-started' }>

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ how: 'not-started', code: errnoOf(error) ?? 'unknown' }))
    child.once('exit', (status, signal) =>
      resolve(status === null ? { how: 'signalled', signal: signal ?? 'unknown' } : { how: 'exited', status }),
    )
  })
}

function startOf({ argv, cwd, env, runId }: CommandRequest): ChildProcess | Exit {
  const [program = '', ...args] = argv
  try {
    return spawn(program, args, {
      cwd,
      env: { ...env, [RUN_MARK]: joinMarks(env[RUN_MARK], runId) },
      // A session of its own: a terminal's Ctrl-C is ours to pass on, after the checkpoint.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (thrown) {
    // Node refuses some words before it asks the system: an empty name, a NUL.
    return { how: 'not-started', code: errnoOf(thrown) ?? 'EINVAL' }
  }
}

/** Runs a command to its end, or ends it, with everything it started. Never throws for what the command does. */
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

  const child = startOf(request)
  if ('how' in child) return result(child)
  const exited = exitOf(child)
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

  const ending = await watch(request, { exited, tail, meter })
  const left = await endProcesses(guard.belongings, { clock, graceMs: graceFor(ending, limits.graceMs) })
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_MS))])
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
  return result(ending, left)
}

/** What the agent left running when it ended by itself is asked first, too; in an emergency there is little time. */
function graceFor(ending: CommandResult['ending'], graceMs: number): number {
  if (ending.how === 'stopped' && (ending.by === 'stop-file' || ending.by === 'tokens-exceeded'))
    return Math.min(graceMs, EMERGENCY_GRACE_MS)
  return ending.how === 'exited' || ending.how === 'signalled' ? graceMs / 2 : graceMs
}

interface Watched {
  readonly exited: Promise<Exit>
  readonly tail: OutputTail
  readonly meter: UsageMeter
}

async function watch(request: CommandRequest, { exited, tail, meter }: Watched): Promise<CommandResult['ending']> {
  const { guard, clock, limits, heartbeatFile } = request
  const startedMs = clock.monotonicMs()
  let aliveMs = startedMs
  let lookedMs = startedMs
  let signs = ''
  let cpuBefore = 0
  const lookEveryMs = Math.min(LOOK_MS, limits.silenceMs / 4)
  for (;;) {
    const exit = await Promise.race([exited, pause(STEP_MS)])
    if (exit !== undefined) return exit
    const by = request.stopReason({ tokens: meter.tokens })
    if (by !== undefined) return { how: 'stopped', by }
    const nowMs = clock.monotonicMs()
    if (nowMs - startedMs > limits.maxMs) return { how: 'time-limit' }
    if (nowMs - lookedMs > lookEveryMs) {
      lookedMs = nowMs
      const rows = guard.look()
      const cpu = rows.reduce((sum, row) => sum + row.cpu, 0)
      const now = `${tail.totalBytes} ${touchedMs(heartbeatFile)}`
      if (now !== signs || cpu - cpuBefore >= BUSY_TICKS) aliveMs = nowMs
      signs = now
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
