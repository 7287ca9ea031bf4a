import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../kernel/errors.ts'
import { classifyFailure, type Failure } from '../retry/failure.ts'
import type { Started } from '../rituals.ts'
import { readTestOutput } from '../../kernel/text/test-output.ts'
import { type CommandResult, type Pulse, runCommand, type StopReason } from './process/run-command.ts'
import type { RunWorld } from './run-ports.ts'
import { isStopped, STOP_FILE } from '../files/stop-file.ts'
import type { TaskSession } from '../model/task-session.ts'

interface AgentSession {
  readonly session: TaskSession
  readonly attempt: number
  /** The checkout's top. */
  readonly root: string
  readonly opening: string
  readonly openingFile: string
  readonly heartbeatFile: string
}

/** The words of a command with what only this session knows: each stays one argument, whatever stands in it. */
export function fillIn(argv: readonly string[], { session, opening, openingFile }: AgentSession): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    opening,
    'opening-file': openingFile,
    session: session.session_id,
    task: session.task_slug,
  }
  return argv.map((word) =>
    word.replace(/\{\{(opening|opening-file|session|task)\}\}/g, (_, name: string) => values[name] ?? ''),
  )
}

/** What an agent is told by its environment. */
export function agentEnv(env: NodeJS.ProcessEnv, agent: AgentSession): NodeJS.ProcessEnv {
  const { session, attempt, root } = agent
  return {
    ...env,
    HOLDFAST_TASK: session.task_slug,
    HOLDFAST_TASK_DIR: `${root}/tasks/${session.task_slug}`,
    HOLDFAST_SESSION_ID: session.session_id,
    HOLDFAST_GATE: session.current_gate,
    HOLDFAST_ATTEMPT: String(attempt),
    HOLDFAST_OPENING_FILE: agent.openingFile,
    HOLDFAST_HEARTBEAT_FILE: agent.heartbeatFile,
    HOLDFAST_STOP_FILE: `${root}/${STOP_FILE}`,
  }
}

export interface SessionPlan {
  readonly argv: readonly string[]
  readonly started: Started
  readonly attempt: number
  /** What the session before it leaves to say; empty for a first attempt. */
  readonly note: string
  /** Time left in this run. */
  readonly leftMs: number
  /** Tokens used by the sessions before. */
  readonly tokensBefore: number
  /** S2's "increase limits": 1 unless something had run out. */
  readonly limitScale: number
}

export type SessionVerdict =
  | { readonly is: 'ended-well' }
  | { readonly is: 'failed'; readonly failure: Failure; readonly output: string }
  | { readonly is: 'stopped'; readonly by: StopReason }

export interface SessionRun {
  readonly verdict: SessionVerdict
  readonly output: string
  readonly tokens: number | undefined
  readonly durationMs: number
  /** Relative to the task folder. */
  readonly logFile: string
  readonly tests: { readonly passing: number; readonly failing: number; readonly pending: number } | undefined
  /** Processes that SIGKILL did not end. */
  readonly left: number
}

const HEARTBEAT_MS = 15_000
const LOG_MS = 5_000
const YOUNG_MS = 60_000
/** Twice the budget is no budget any more: an emergency, says S2. */
export const TOKENS_EMERGENCY = 2

/** Writes what an agent needs to read, where only its user can. */
function prepare(world: RunWorld, { started, attempt, note }: SessionPlan): AgentSession {
  const dir = join(world.dir, started.session.session_id)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const opening = world.folder.redactor.redact(note === '' ? started.opening : `${started.opening}\n\n${note}`)
  const openingFile = join(dir, 'opening.md')
  const heartbeatFile = join(dir, 'heartbeat')
  writeFileSync(openingFile, opening, { mode: 0o600 })
  writeFileSync(heartbeatFile, '', { mode: 0o600 })
  return { session: started.session, attempt, root: world.folder.root, opening, openingFile, heartbeatFile }
}

export function stopReasonOf(world: RunWorld): 'stop-file' | 'person' | undefined {
  if (isStopped(world.folder.root)) return 'stop-file'
  return world.isInterrupted() ? 'person' : undefined
}

/** What a watcher does beside the agent: says that it lives, and keeps the end of what it says. */
function followPulse(world: RunWorld, plan: SessionPlan, logFile: string): (pulse: Pulse) => void {
  const { clock, rituals, folder } = world
  const startedMs = clock.monotonicMs()
  const sessionId = plan.started.session.session_id
  let toldMs = startedMs
  let keptMs = startedMs
  let isMute = false
  return ({ output, tokens, rows }) => {
    const nowMs = clock.monotonicMs()
    world.tell({ kind: 'pulse', elapsedMs: nowMs - startedMs, processes: rows.length, tokens })
    // An agent's own session begins with the agent; later ones are rare, and found with the heartbeat.
    if (nowMs - startedMs < YOUNG_MS || nowMs - toldMs >= HEARTBEAT_MS) world.follow?.(plan.started.session, rows)
    if (nowMs - keptMs >= LOG_MS) {
      keptMs = nowMs
      keepLog(world, logFile, output)
    }
    if (nowMs - toldMs < HEARTBEAT_MS) return
    toldMs = nowMs
    const startedAt = world.processes.startedAt(world.pid)
    const process = { pid: world.pid, ...(startedAt !== undefined && { startedAt }) }
    rituals.heartbeat({ cwd: folder.root, slug: folder.slug, sessionId, process }).catch((thrown: unknown) => {
      // Once: a daemon that is away is started by the next one, and the work goes on.
      if (!isMute) world.tell({ kind: 'note', text: `No heartbeat was kept: ${messageOf(thrown)}` })
      isMute = true
    })
  }
}

function keepLog({ folder, tell }: RunWorld, logFile: string, output: string): void {
  try {
    folder.writeText(logFile, output)
  } catch (thrown) {
    tell({ kind: 'note', text: `${logFile} was not written: ${messageOf(thrown)}` })
  }
}

/** The project's own check after an agent that says all is well; its time is the run's too. */
async function verify(world: RunWorld, untilMs: number): Promise<CommandResult | undefined> {
  const check = world.policy.verify
  if (check === undefined) return undefined
  world.tell({ kind: 'note', text: `Checking: ${check.argv.join(' ')}` })
  return runCommand({
    argv: check.argv,
    cwd: world.folder.root,
    env: world.env,
    runId: world.runId,
    guard: world.guard,
    clock: world.clock,
    limits: { maxMs: check.maxMs, silenceMs: check.maxMs, graceMs: world.policy.graceMs },
    stopReason: () => stopReasonOf(world) ?? (world.clock.monotonicMs() >= untilMs ? 'run-time' : undefined),
    onOutput: (stream, text) => world.tell({ kind: 'output', stream, text }),
  })
}

function hasEndedWell({ ending }: CommandResult): boolean {
  return ending.how === 'exited' && ending.status === 0
}

function judge(agent: CommandResult, check: CommandResult | undefined, command: string): SessionVerdict {
  const { ending, output } = agent
  if (ending.how === 'stopped') return { is: 'stopped', by: ending.by }
  if (!hasEndedWell(agent)) return { is: 'failed', failure: classifyFailure({ ending, output }), output }
  if (check === undefined || hasEndedWell(check)) return { is: 'ended-well' }
  if (check.ending.how === 'stopped') return { is: 'stopped', by: check.ending.by }
  // A check that cannot be started, or takes for ever, is not the agent's test that fails.
  const failure =
    check.ending.how === 'exited'
      ? classifyFailure({ ending: check.ending, output: '', check: { command, output: check.output } })
      : classifyFailure({ ending: check.ending, output: check.output })
  return { is: 'failed', failure, output: check.output }
}

function testsIn(output: string): SessionRun['tests'] {
  const report = readTestOutput(output)
  if (report === undefined || (report.passed === undefined && report.failed === undefined)) return undefined
  return { passing: report.passed ?? 0, failing: report.failed ?? 0, pending: report.pending ?? 0 }
}

/** One session from its first process to its last. Never throws for what an agent does. */
export async function runSession(world: RunWorld, plan: SessionPlan): Promise<SessionRun> {
  const { policy, clock } = world
  const agent = prepare(world, plan)
  const logFile = `logs/run/${plan.started.session.session_id}.log`
  const budget = policy.maxTokens
  const untilMs = clock.monotonicMs() + plan.leftMs
  const ran = await runCommand({
    argv: fillIn(plan.argv, agent),
    cwd: world.folder.root,
    env: agentEnv(world.env, agent),
    runId: world.runId,
    guard: world.guard,
    clock,
    limits: {
      maxMs: policy.maxSessionMs * plan.limitScale,
      silenceMs: policy.silenceMs * plan.limitScale,
      graceMs: policy.graceMs,
    },
    heartbeatFile: agent.heartbeatFile,
    stopReason: ({ tokens }) => {
      const asked = stopReasonOf(world)
      if (asked !== undefined) return asked
      if (clock.monotonicMs() >= untilMs) return 'run-time'
      if (budget === undefined || tokens === undefined) return undefined
      const used = plan.tokensBefore + tokens
      if (used >= budget * TOKENS_EMERGENCY) return 'tokens-exceeded'
      return used >= budget ? 'tokens' : undefined
    },
    onOutput: (stream, text) => world.tell({ kind: 'output', stream, text }),
    onPulse: followPulse(world, plan, logFile),
  })
  const check = hasEndedWell(ran) ? await verify(world, untilMs) : undefined
  const output = check === undefined ? ran.output : `${ran.output}\n${check.output}`
  keepLog(world, logFile, output)
  return {
    verdict: judge(ran, check, policy.verify?.argv.join(' ') ?? ''),
    output,
    tokens: ran.tokens,
    durationMs: ran.durationMs + (check?.durationMs ?? 0),
    logFile,
    tests: testsIn(output),
    left: ran.left.length + (check?.left.length ?? 0),
  }
}
