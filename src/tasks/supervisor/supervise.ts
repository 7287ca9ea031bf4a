import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { renderAttemptNote } from '../retry/attempt-note.ts'
import { findStall } from '../retry/progress.ts'
import { decideRetry, type RetryDecision } from '../retry/retry-policy.ts'
import type { StartResult } from '../rituals.ts'
import type { TaskDetail } from '../tasks.ts'
import { isRepairable } from '../chain/verify-chain.ts'
import { updateStatus } from '../files/task-files.ts'
import { type EscalationInput, escalate } from './escalate.ts'
import { finishSession } from './finish-session.ts'
import { describeRollback, rollBack } from './rollback.ts'
import { type RunOutcome, type RunReport, RunState, SESSION_SUCCEEDED } from './run-state.ts'
import { runSession, type SessionRun, findStopReason } from './run-session.ts'
import { listChangesBetween, formatPosition, type RunPorts, takeSnapshot } from './run-ports.ts'

export interface RunInput {
  readonly argv: readonly string[]
  readonly goal?: string | undefined
  /** The first session starts from this gate. */
  readonly fromGate?: string | undefined
  /** One session; more only after a failure. */
  readonly isOnce: boolean
}

interface RunEnd {
  readonly outcome: RunOutcome
  readonly reason: string
  readonly escalation?: string
}

const STEP_MS = 100

/** Supervises an agent across the sessions of a task until it is done, a budget is used up, or a person is needed. */
export async function supervise(ports: RunPorts, input: RunInput): Promise<RunReport> {
  const startedMs = ports.clock.monotonicMs()
  const before = await getDetail(ports)
  const position = formatPosition(before.status)
  const state = new RunState({ tree: await takeSnapshot(ports, 0), position }, before.status.attempts[position] ?? 0)
  let end: RunEnd | undefined
  for (let iteration = 1; end === undefined; iteration += 1)
    end = await nextSession(ports, input, { state, iteration, startedMs })
  const { status } = await getDetail(ports)
  return {
    run_id: ports.runId,
    task: ports.folder.slug,
    outcome: end.outcome,
    reason: end.reason,
    position: formatPosition(status),
    sessions: state.sessions,
    escalation: end.escalation ?? null,
    tokens: state.tokens ?? null,
    duration_ms: Math.round(ports.clock.monotonicMs() - startedMs),
  }
}

function getDetail({ tasks, folder }: RunPorts): Promise<TaskDetail> {
  return tasks.show({ cwd: folder.root, slug: folder.slug })
}

interface Turn {
  readonly state: RunState
  readonly iteration: number
  readonly startedMs: number
}

async function nextSession(ports: RunPorts, input: RunInput, turn: Turn): Promise<RunEnd | undefined> {
  const { state, iteration } = turn
  const leftMs = ports.limits.maxMs - (ports.clock.monotonicMs() - turn.startedMs)
  const over = (await findEndOfWork(ports, input, turn)) ?? findEndOfBudget(ports, turn, leftMs)
  if (over !== undefined) return over

  const started = await startSession(ports, input, turn)
  if ('outcome' in started) return started
  const attempt = state.nextAttempt
  ports.report({ kind: 'session', sessionId: started.session.session_id, iteration, attempt })
  const tree = await takeSnapshot(ports, iteration)
  const note = state.last === undefined ? '' : renderAttemptNote(state.last, attempt, ports.sha256)
  const run = await runSession(ports, {
    argv: input.argv,
    started,
    attempt,
    note,
    leftMs,
    tokensBefore: state.tokens ?? 0,
    limitScale: state.limitScale,
  })
  return evaluateSession(ports, input, { ...turn, started, attempt, tree, run })
}

/** Why no further session may start; undefined if one may. */
async function findEndOfWork(ports: RunPorts, input: RunInput, { state }: Turn): Promise<RunEnd | undefined> {
  const requested = findStopReason(ports)
  if (requested === 'person') return { outcome: 'interrupted', reason: 'The user ended it between two sessions.' }
  if (requested === 'stop-file') return { outcome: 'stopped', reason: 'The stop file exists.' }
  const detail = await getDetail(ports)
  if (detail.status.status === 'complete') return { outcome: 'complete', reason: 'The task is complete.' }
  if (state.results.length > 0 && state.last === undefined) {
    if (detail.gates_open.length === 0)
      return {
        outcome: 'complete',
        reason: `Every required gate holds; \`holdfast task done ${ports.folder.slug}\` closes it.`,
      }
    if (input.isOnce) return { outcome: 'complete', reason: SESSION_SUCCEEDED }
  }
  // A failed health check blocks too, but the next start checks again.
  if (detail.status.blockers.length > 0 && detail.status.regression === null)
    return { outcome: 'escalated', reason: `The task is blocked: ${detail.status.blockers.join(' ')}` }
  const unsound = await findChainProblem(ports, detail)
  return unsound === undefined ? undefined : escalateRun(ports, input, state, { why: unsound, isFixerDue: false })
}

/** Repairs what it can; other findings need a person. */
async function findChainProblem({ tasks, folder }: RunPorts, detail: TaskDetail): Promise<string | undefined> {
  let { findings } = detail
  if (findings.some(isRepairable)) ({ findings } = await tasks.repair({ cwd: folder.root, slug: folder.slug }))
  const first = findings.find((finding) => !isRepairable(finding))
  return first === undefined ? undefined : `The checkpoint chain is broken: ${first.message} ${first.remedy}`
}

function findEndOfBudget({ limits }: RunPorts, { iteration, state }: Turn, leftMs: number): RunEnd | undefined {
  if (iteration > limits.maxIterations)
    return { outcome: 'partial', reason: `${limits.maxIterations} sessions are used up.` }
  if (leftMs <= 0) return { outcome: 'partial', reason: `The time is used up (${limits.maxMs / 60_000} minutes).` }
  if (limits.maxTokens !== undefined && (state.tokens ?? 0) >= limits.maxTokens)
    return { outcome: 'partial', reason: `The tokens are used up (${limits.maxTokens}).` }
  return undefined
}

async function startSession(
  ports: RunPorts,
  input: RunInput,
  { state, iteration }: Turn,
): Promise<StartResult | RunEnd> {
  const { rituals, folder, pid, processes } = ports
  const parentSession = state.sessions.at(-1)?.session_id
  const startedAt = processes.startedAt(pid)
  try {
    const started = await rituals.start({
      cwd: folder.root,
      slug: folder.slug,
      agentId: input.argv[0]?.split('/').at(-1) ?? 'agent',
      process: { pid, ...(startedAt !== undefined && { startedAt }) },
      ...(input.goal !== undefined && { goal: input.goal }),
      ...(iteration === 1 && input.fromGate !== undefined && { fromGate: input.fromGate }),
      ...(parentSession !== undefined && { parentSession }),
      onLine: (text) => ports.report({ kind: 'line', text }),
    })
    if (started.isReady) return started
    const why = `The health check failed and has to pass first: ${started.health.detail}`
    const sessionId = started.session.session_id
    return await escalateRun(ports, input, state, { why, isFixerDue: false, isBlocked: true, sessionId })
  } catch (thrown) {
    // The caller sees the first refusal as it is; a later one is escalated.
    if (iteration === 1 || !(thrown instanceof HoldfastError)) throw thrown
    if (findStopReason(ports) === 'stop-file') return { outcome: 'stopped', reason: 'The stop file exists.' }
    return escalateRun(ports, input, state, {
      why: `The next session cannot start: ${getErrorMessage(thrown)}`,
      isFixerDue: false,
    })
  }
}

async function escalateRun(
  ports: RunPorts,
  input: RunInput,
  state: RunState,
  given: Pick<EscalationInput, 'why' | 'isFixerDue' | 'isBlocked'> & { readonly sessionId?: string },
): Promise<RunEnd> {
  const { status } = await getDetail(ports)
  const escalation = await escalate(ports, {
    why: given.why,
    isFixerDue: given.isFixerDue,
    isBlocked: given.isBlocked,
    position: formatPosition(status),
    command: input.argv,
    attempts: state.attempts,
    resumeFrom: status.last_checkpoint,
    sessionId: given.sessionId ?? state.sessions.at(-1)?.session_id ?? null,
  })
  return { outcome: 'escalated', reason: given.why, escalation }
}

interface FinishedSession extends Turn {
  readonly started: StartResult
  readonly attempt: number
  readonly tree: string
  readonly run: SessionRun
}

async function evaluateSession(
  ports: RunPorts,
  input: RunInput,
  finished: FinishedSession,
): Promise<RunEnd | undefined> {
  const { state, started, run, iteration, attempt } = finished
  const { verdict } = run
  const treeAfter = await takeSnapshot(ports, iteration)
  const changes = await listChangesBetween(ports, finished.tree, treeAfter)
  const tokensBefore = state.tokens ?? 0
  await finishSession(ports, { session: started.session, run, changes, command: input.argv, tokensBefore })
  if (run.left > 0) ports.report({ kind: 'note', text: `${run.left} processes did not end, not even by SIGKILL.` })
  if (run.tokens !== undefined) state.tokens = (state.tokens ?? 0) + run.tokens

  const position = formatPosition((await getDetail(ports)).status)
  const failure = verdict.is === 'failed' ? verdict.failure : undefined
  state.results.push({ tree: treeAfter, position, ...(failure !== undefined && { failure: failure.signature }) })
  const stall = findStall(state.start, state.results, ports.limits.progress)
  const decision =
    failure === undefined
      ? undefined
      : decideRetry(
          {
            failure,
            failuresAtStep: state.failuresAtStep,
            failuresInRun: state.failuresInRun,
            isStalled: stall === 'same-failure',
          },
          ports.limits.retry,
          ports.random(),
        )
  state.sessions.push({
    session_id: started.session.session_id,
    iteration,
    attempt,
    ended: verdict.is === 'ended-well' ? 'well' : verdict.is,
    stopped_by: verdict.is === 'stopped' ? verdict.by : null,
    failure: failure === undefined ? null : { kind: failure.kind, reason: failure.reason },
    decision: decision?.action ?? null,
    files_changed: changes?.length ?? null,
    tokens: run.tokens ?? null,
    duration_ms: run.durationMs,
    log: ports.folder.resolvePath(run.logFile),
  })

  if (verdict.is === 'stopped') return createEnd(verdict.by, ports)
  await countAttempts(ports, position, failure === undefined ? 0 : state.failuresAtStep)
  if (verdict.is === 'failed' && decision !== undefined)
    return handleFailure(ports, input, { ...finished, verdict, decision })
  state.last = undefined
  state.limitScale = 1
  if (stall !== 'no-diff') return undefined
  const count = ports.limits.progress.maxIterationsWithoutDiff
  // If every gate holds by now, the work is done and not stalled.
  const done = await findEndOfWork(ports, input, finished)
  const why = `No progress: ${count} sessions in a row changed no file and passed no gate.`
  return done ?? escalateRun(ports, input, state, { why, isFixerDue: false })
}

function createEnd(by: Extract<SessionRun['verdict'], { is: 'stopped' }>['by'], { limits }: RunPorts): RunEnd {
  switch (by) {
    case 'stop-file':
      return {
        outcome: 'stopped',
        reason: 'The stop file was found; the session was ended with an emergency checkpoint.',
      }
    case 'tokens-exceeded':
      return { outcome: 'stopped', reason: `Twice the token budget was used (${limits.maxTokens ?? 0}).` }
    case 'tokens':
      return { outcome: 'partial', reason: `The tokens are used up (${limits.maxTokens ?? 0}).` }
    case 'run-time':
      return { outcome: 'partial', reason: `The time is used up (${limits.maxMs / 60_000} minutes).` }
    case 'person':
      return { outcome: 'interrupted', reason: 'The user ended it; the session was ended as usual.' }
  }
}

/** Stored in the status, so that the count survives a killed run. */
async function countAttempts({ folder, report }: RunPorts, position: string, count: number): Promise<void> {
  try {
    await updateStatus(folder, (status) => ({ ...status, attempts: { ...status.attempts, [position]: count } }))
  } catch (thrown) {
    report({ kind: 'note', text: `The attempts were not counted: ${getErrorMessage(thrown)}` })
  }
}

interface FailedSession extends FinishedSession {
  readonly verdict: Extract<SessionRun['verdict'], { is: 'failed' }>
  readonly decision: RetryDecision
}

const RESPONSES: Readonly<Record<RetryDecision['action'], string>> = {
  retry: 'The step was retried.',
  'diagnose-and-retry': 'The next session got the failure, to find its cause first.',
  'wait-and-retry': 'It was retried after a pause, with larger limits.',
  'rollback-and-replan': 'The next session was instructed to choose another plan.',
  escalate: 'It was handed to a person.',
}

async function handleFailure(ports: RunPorts, input: RunInput, failed: FailedSession): Promise<RunEnd | undefined> {
  const { state, verdict, decision, run, started } = failed
  const { failure, output } = verdict
  ports.report({ kind: 'failed', failure, decision })
  const rollback = decision.action === 'rollback-and-replan' ? await rollBack(ports, failed.tree) : undefined
  if (rollback !== undefined) ports.report({ kind: 'note', text: describeRollback(rollback) })
  const patch = rollback?.is === 'done' ? rollback.patch : undefined
  state.attempts.push({
    sessionId: started.session.session_id,
    at: ports.clock.now(),
    failure,
    answer: [RESPONSES[decision.action], ...(rollback === undefined ? [] : [describeRollback(rollback)])].join(' '),
    output,
    files: [ports.folder.resolvePath(run.logFile), ...(patch === undefined ? [] : [patch])],
  })
  if (decision.action === 'escalate')
    return escalateRun(ports, input, state, {
      why: `${failure.reason} ${decision.why}`,
      isFixerDue: decision.isFixerDue,
    })
  state.last = { failure, decision, output, patch }
  state.limitScale = decision.action === 'wait-and-retry' ? decision.limitScale : 1
  await pause(ports, decision.waitMs)
  return undefined
}

/** Returns early on a stop request. */
async function pause(ports: RunPorts, ms: number): Promise<void> {
  const untilMs = ports.clock.monotonicMs() + ms
  while (ports.clock.monotonicMs() < untilMs && findStopReason(ports) === undefined)
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(STEP_MS, Math.max(1, untilMs - ports.clock.monotonicMs())))
    })
}
