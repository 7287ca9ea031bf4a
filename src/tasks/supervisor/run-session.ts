import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage } from '../../kernel/errors.ts'
import { classifyFailure, type SessionFailure } from '../retry/classify-failure.ts'
import type { StartResult } from '../rituals.ts'
import { readTestOutput } from '../../kernel/text/command-output.ts'
import { type CommandResult, type Pulse, runCommand, type StopReason } from './process/run-command.ts'
import type { RunPorts } from './run-ports.ts'
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

/** Fills the placeholders of a command. Each word stays one argument. */
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
  readonly started: StartResult
  readonly attempt: number
  /** The note about the failed session before it; empty for a first attempt. */
  readonly note: string
  /** Time left in this run. */
  readonly leftMs: number
  /** Used by earlier sessions. */
  readonly tokensBefore: number
  /** Factor of the session's time limit: 1 unless a resource ran out. */
  readonly limitScale: number
}

export type SessionVerdict =
  | { readonly is: 'ended-well' }
  | { readonly is: 'failed'; readonly failure: SessionFailure; readonly output: string }
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
/** Twice the token budget is an emergency. */
export const TOKENS_EMERGENCY = 2

/** Writes the opening and the heartbeat file, private to the user. */
function prepare(ports: RunPorts, { started, attempt, note }: SessionPlan): AgentSession {
  const dir = join(ports.dir, started.session.session_id)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const opening = ports.folder.redactor.redact(note === '' ? started.opening : `${started.opening}\n\n${note}`)
  const openingFile = join(dir, 'opening.md')
  const heartbeatFile = join(dir, 'heartbeat')
  writeFileSync(openingFile, opening, { mode: 0o600 })
  writeFileSync(heartbeatFile, '', { mode: 0o600 })
  return { session: started.session, attempt, root: ports.folder.root, opening, openingFile, heartbeatFile }
}

export function findStopReason(ports: RunPorts): 'stop-file' | 'person' | undefined {
  if (isStopped(ports.folder.root)) return 'stop-file'
  return ports.isInterrupted() ? 'person' : undefined
}

/** Sends heartbeats, links harness sessions and saves the end of the output while the agent runs. */
function createPulseHandler(ports: RunPorts, plan: SessionPlan, logFile: string): (pulse: Pulse) => void {
  const { clock, rituals, folder } = ports
  const startedMs = clock.monotonicMs()
  const sessionId = plan.started.session.session_id
  let heartbeatMs = startedMs
  let loggedMs = startedMs
  let hasReported = false
  return ({ output, tokens, rows }) => {
    const nowMs = clock.monotonicMs()
    ports.report({ kind: 'pulse', elapsedMs: nowMs - startedMs, processes: rows.length, tokens })
    // A harness session usually starts with the agent; later ones are found with the heartbeat.
    if (nowMs - startedMs < YOUNG_MS || nowMs - heartbeatMs >= HEARTBEAT_MS)
      ports.onProcesses?.(plan.started.session, rows)
    if (nowMs - loggedMs >= LOG_MS) {
      loggedMs = nowMs
      saveLog(ports, logFile, output)
    }
    if (nowMs - heartbeatMs < HEARTBEAT_MS) return
    heartbeatMs = nowMs
    const startedAt = ports.processes.startedAt(ports.pid)
    const process = { pid: ports.pid, ...(startedAt !== undefined && { startedAt }) }
    rituals.heartbeat({ cwd: folder.root, slug: folder.slug, sessionId, process }).catch((thrown: unknown) => {
      // Reported once. The next heartbeat starts the daemon again.
      if (!hasReported) ports.report({ kind: 'note', text: `No heartbeat was recorded: ${getErrorMessage(thrown)}` })
      hasReported = true
    })
  }
}

function saveLog({ folder, report }: RunPorts, logFile: string, output: string): void {
  try {
    folder.writeText(logFile, output)
  } catch (thrown) {
    report({ kind: 'note', text: `${logFile} was not written: ${getErrorMessage(thrown)}` })
  }
}

/** Runs the project's own check after the agent succeeded, within the run's time. */
async function verify(ports: RunPorts, untilMs: number): Promise<CommandResult | undefined> {
  const check = ports.limits.verify
  if (check === undefined) return undefined
  ports.report({ kind: 'note', text: `Checking: ${check.argv.join(' ')}` })
  return runCommand({
    argv: check.argv,
    cwd: ports.folder.root,
    env: ports.env,
    runId: ports.runId,
    guard: ports.guard,
    clock: ports.clock,
    limits: { maxMs: check.maxMs, silenceMs: check.maxMs, graceMs: ports.limits.graceMs },
    stopReason: () => findStopReason(ports) ?? (ports.clock.monotonicMs() >= untilMs ? 'run-time' : undefined),
    onOutput: (stream, text) => ports.report({ kind: 'output', stream, text }),
  })
}

function hasSucceeded({ ending }: CommandResult): boolean {
  return ending.how === 'exited' && ending.status === 0
}

function judgeSession(agent: CommandResult, check: CommandResult | undefined, command: string): SessionVerdict {
  const { ending, output } = agent
  if (ending.how === 'stopped') return { is: 'stopped', by: ending.by }
  if (!hasSucceeded(agent)) return { is: 'failed', failure: classifyFailure({ ending, output }), output }
  if (check === undefined || hasSucceeded(check)) return { is: 'ended-well' }
  if (check.ending.how === 'stopped') return { is: 'stopped', by: check.ending.by }
  // A check that cannot start or does not end is not a failing test.
  const failure =
    check.ending.how === 'exited'
      ? classifyFailure({ ending: check.ending, output: '', check: { command, output: check.output } })
      : classifyFailure({ ending: check.ending, output: check.output })
  return { is: 'failed', failure, output: check.output }
}

function countTests(output: string): SessionRun['tests'] {
  const report = readTestOutput(output)
  if (report === undefined || (report.passed === undefined && report.failed === undefined)) return undefined
  return { passing: report.passed ?? 0, failing: report.failed ?? 0, pending: report.pending ?? 0 }
}

/** Runs one session. Never throws for what the agent does. */
export async function runSession(ports: RunPorts, plan: SessionPlan): Promise<SessionRun> {
  const { limits, clock } = ports
  const agent = prepare(ports, plan)
  const logFile = `logs/run/${plan.started.session.session_id}.log`
  const budget = limits.maxTokens
  const untilMs = clock.monotonicMs() + plan.leftMs
  const ran = await runCommand({
    argv: fillIn(plan.argv, agent),
    cwd: ports.folder.root,
    env: agentEnv(ports.env, agent),
    runId: ports.runId,
    guard: ports.guard,
    clock,
    limits: {
      maxMs: limits.maxSessionMs * plan.limitScale,
      silenceMs: limits.silenceMs * plan.limitScale,
      graceMs: limits.graceMs,
    },
    heartbeatFile: agent.heartbeatFile,
    stopReason: ({ tokens }) => {
      const requested = findStopReason(ports)
      if (requested !== undefined) return requested
      if (clock.monotonicMs() >= untilMs) return 'run-time'
      if (budget === undefined || tokens === undefined) return undefined
      const used = plan.tokensBefore + tokens
      if (used >= budget * TOKENS_EMERGENCY) return 'tokens-exceeded'
      return used >= budget ? 'tokens' : undefined
    },
    onOutput: (stream, text) => ports.report({ kind: 'output', stream, text }),
    onPulse: createPulseHandler(ports, plan, logFile),
  })
  const check = hasSucceeded(ran) ? await verify(ports, untilMs) : undefined
  const output = check === undefined ? ran.output : `${ran.output}\n${check.output}`
  saveLog(ports, logFile, output)
  return {
    verdict: judgeSession(ran, check, limits.verify?.argv.join(' ') ?? ''),
    output,
    tokens: ran.tokens,
    durationMs: ran.durationMs + (check?.durationMs ?? 0),
    logFile,
    tests: countTests(output),
    left: ran.left.length + (check?.left.length ?? 0),
  }
}
