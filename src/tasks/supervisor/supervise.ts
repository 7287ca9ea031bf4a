import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { attemptNote } from '../retry/attempt-note.ts'
import { stallOf } from '../retry/progress.ts'
import { decide, type Decision } from '../retry/strategy.ts'
import type { Started } from '../rituals.ts'
import type { TaskDetail } from '../tasks.ts'
import { isMendable } from '../chain/verify-chain.ts'
import { updateStatus } from '../files/task-files.ts'
import { type EscalationInput, escalate } from './escalate.ts'
import { finishSession } from './finish-session.ts'
import { describeRollback, rollBack } from './rollback.ts'
import type { RunOutcome, RunReport } from './run-report.ts'
import { runSession, type SessionRun, stopReasonOf } from './run-session.ts'
import { RunState } from './run-state.ts'
import { changesSince, positionOf, type RunWorld, treeOf } from './run-ports.ts'

export interface RunInput {
  readonly argv: readonly string[]
  readonly goal?: string | undefined
  /** Any name of a gate; the first session starts from it. */
  readonly fromGate?: string | undefined
  /** One session, and no more unless it fails. */
  readonly isOnce: boolean
}

interface RunEnd {
  readonly outcome: RunOutcome
  readonly reason: string
  readonly escalation?: string
}

const STEP_MS = 100

/** Supervises an agent across the sessions of a task until it is done, a budget is used up, or a person is needed. */
export async function supervise(world: RunWorld, input: RunInput): Promise<RunReport> {
  const startedMs = world.clock.monotonicMs()
  const before = await show(world)
  const position = positionOf(before.status)
  const state = new RunState({ tree: await treeOf(world, 0), position }, before.status.attempts[position] ?? 0)
  let end: RunEnd | undefined
  for (let iteration = 1; end === undefined; iteration += 1)
    end = await nextSession(world, input, { state, iteration, startedMs })
  const { status } = await show(world)
  return {
    run_id: world.runId,
    task: world.folder.slug,
    outcome: end.outcome,
    reason: end.reason,
    position: positionOf(status),
    sessions: state.sessions,
    escalation: end.escalation ?? null,
    tokens: state.tokens ?? null,
    duration_ms: Math.round(world.clock.monotonicMs() - startedMs),
  }
}

function show({ tasks, folder }: RunWorld): Promise<TaskDetail> {
  return tasks.show({ cwd: folder.root, slug: folder.slug })
}

interface Turn {
  readonly state: RunState
  readonly iteration: number
  readonly startedMs: number
}

async function nextSession(world: RunWorld, input: RunInput, turn: Turn): Promise<RunEnd | undefined> {
  const { state, iteration } = turn
  const leftMs = world.policy.maxMs - (world.clock.monotonicMs() - turn.startedMs)
  const over = (await endOfWork(world, input, turn)) ?? endOfBudget(world, turn, leftMs)
  if (over !== undefined) return over

  const started = await start(world, input, turn)
  if ('outcome' in started) return started
  const attempt = state.nextAttempt
  world.tell({ kind: 'session', sessionId: started.session.session_id, iteration, attempt })
  const tree = await treeOf(world, iteration)
  const note = state.last === undefined ? '' : attemptNote(state.last, attempt, world.sha256)
  const run = await runSession(world, {
    argv: input.argv,
    started,
    attempt,
    note,
    leftMs,
    tokensBefore: state.tokens ?? 0,
    limitScale: state.limitScale,
  })
  return afterSession(world, input, { ...turn, started, attempt, tree, run })
}

/** S2: each link of the chain is begun only where what it stands on holds. */
async function endOfWork(world: RunWorld, input: RunInput, { state }: Turn): Promise<RunEnd | undefined> {
  const asked = stopReasonOf(world)
  if (asked === 'person') return { outcome: 'interrupted', reason: 'A person ended it between two sessions.' }
  if (asked === 'stop-file') return { outcome: 'stopped', reason: 'The stop file is there.' }
  const detail = await show(world)
  if (detail.status.status === 'complete') return { outcome: 'complete', reason: 'The task is complete.' }
  if (state.laps.length > 0 && state.last === undefined) {
    if (detail.gates_open.length === 0)
      return {
        outcome: 'complete',
        reason: `Every required gate holds; \`holdfast task done ${world.folder.slug}\` closes it.`,
      }
    if (input.isOnce) return { outcome: 'complete', reason: 'The session ended well.' }
  }
  // A failed health check blocks too; whether it still fails is for the next start to see.
  if (detail.status.blockers.length > 0 && detail.status.regression === null)
    return { outcome: 'escalated', reason: `The task is blocked: ${detail.status.blockers.join(' ')}` }
  const unsound = await findUnsound(world, detail)
  return unsound === undefined ? undefined : giveUp(world, input, state, { why: unsound, isFixerDue: false })
}

/** What only wants joining or indexing is mended; everything else wants a person. */
async function findUnsound({ tasks, folder }: RunWorld, detail: TaskDetail): Promise<string | undefined> {
  let { findings } = detail
  if (findings.some(isMendable)) ({ findings } = await tasks.repair({ cwd: folder.root, slug: folder.slug }))
  const first = findings.find((finding) => !isMendable(finding))
  return first === undefined ? undefined : `The chain of checkpoints is not sound: ${first.message} ${first.remedy}`
}

function endOfBudget({ policy }: RunWorld, { iteration, state }: Turn, leftMs: number): RunEnd | undefined {
  if (iteration > policy.maxIterations)
    return { outcome: 'partial', reason: `${policy.maxIterations} sessions are used up.` }
  if (leftMs <= 0) return { outcome: 'partial', reason: `The time is used up (${policy.maxMs / 60_000} minutes).` }
  if (policy.maxTokens !== undefined && (state.tokens ?? 0) >= policy.maxTokens)
    return { outcome: 'partial', reason: `The tokens are used up (${policy.maxTokens}).` }
  return undefined
}

async function start(world: RunWorld, input: RunInput, { state, iteration }: Turn): Promise<Started | RunEnd> {
  const { rituals, folder, pid, processes } = world
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
      onLine: (text) => world.tell({ kind: 'line', text }),
    })
    if (started.isReady) return started
    const why = `The health check failed, and nothing goes on before it passes: ${started.health.detail}`
    const sessionId = started.session.session_id
    return await giveUp(world, input, state, { why, isFixerDue: false, isBlocked: true, sessionId })
  } catch (thrown) {
    // The first refusal is the caller's to see as it is; a later one means that what the chain stands on is gone.
    if (iteration === 1 || !(thrown instanceof HoldfastError)) throw thrown
    if (stopReasonOf(world) === 'stop-file') return { outcome: 'stopped', reason: 'The stop file is there.' }
    return giveUp(world, input, state, {
      why: `The next session may not start: ${messageOf(thrown)}`,
      isFixerDue: false,
    })
  }
}

async function giveUp(
  world: RunWorld,
  input: RunInput,
  state: RunState,
  given: Pick<EscalationInput, 'why' | 'isFixerDue' | 'isBlocked'> & { readonly sessionId?: string },
): Promise<RunEnd> {
  const { status } = await show(world)
  const escalation = await escalate(world, {
    why: given.why,
    isFixerDue: given.isFixerDue,
    isBlocked: given.isBlocked,
    position: positionOf(status),
    command: input.argv,
    attempts: state.attempts,
    resumeFrom: status.last_checkpoint,
    sessionId: given.sessionId ?? state.sessions.at(-1)?.session_id ?? null,
  })
  return { outcome: 'escalated', reason: given.why, escalation }
}

interface Finished extends Turn {
  readonly started: Started
  readonly attempt: number
  readonly tree: string
  readonly run: SessionRun
}

async function afterSession(world: RunWorld, input: RunInput, finished: Finished): Promise<RunEnd | undefined> {
  const { state, started, run, iteration, attempt } = finished
  const { verdict } = run
  const treeAfter = await treeOf(world, iteration)
  const changes = await changesSince(world, finished.tree, treeAfter)
  const tokensBefore = state.tokens ?? 0
  await finishSession(world, { session: started.session, run, changes, command: input.argv, tokensBefore })
  if (run.left > 0) world.tell({ kind: 'note', text: `${run.left} processes would not end, not even by SIGKILL.` })
  if (run.tokens !== undefined) state.tokens = (state.tokens ?? 0) + run.tokens

  const position = positionOf((await show(world)).status)
  const failure = verdict.is === 'failed' ? verdict.failure : undefined
  state.laps.push({ tree: treeAfter, position, ...(failure !== undefined && { failure: failure.signature }) })
  const stall = stallOf(state.start, state.laps, world.policy.progress)
  const decision =
    failure === undefined
      ? undefined
      : decide(
          {
            failure,
            failuresAtStep: state.failuresAtStep,
            failuresInRun: state.failuresInRun,
            isStalled: stall === 'same-failure',
          },
          world.policy.retry,
          world.random(),
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
    log: world.folder.pathOf(run.logFile),
  })

  if (verdict.is === 'stopped') return endOf(verdict.by, world)
  await countAttempts(world, position, failure === undefined ? 0 : state.failuresAtStep)
  if (verdict.is === 'failed' && decision !== undefined)
    return answerFailure(world, input, { ...finished, verdict, decision })
  state.last = undefined
  state.limitScale = 1
  if (stall !== 'no-diff') return undefined
  const count = world.policy.progress.maxIterationsWithoutDiff
  // Every gate may hold by now: then the work is done, and not stuck.
  const done = await endOfWork(world, input, finished)
  const why = `No progress: ${count} sessions in a row changed no file and passed no gate.`
  return done ?? giveUp(world, input, state, { why, isFixerDue: false })
}

function endOf(by: Extract<SessionRun['verdict'], { is: 'stopped' }>['by'], { policy }: RunWorld): RunEnd {
  switch (by) {
    case 'stop-file':
      return {
        outcome: 'stopped',
        reason: 'The stop file was found; the session was ended with an emergency checkpoint.',
      }
    case 'tokens-exceeded':
      return { outcome: 'stopped', reason: `Twice the token budget was used (${policy.maxTokens ?? 0}).` }
    case 'tokens':
      return { outcome: 'partial', reason: `The tokens are used up (${policy.maxTokens ?? 0}).` }
    case 'run-time':
      return { outcome: 'partial', reason: `The time is used up (${policy.maxMs / 60_000} minutes).` }
    case 'person':
      return { outcome: 'interrupted', reason: 'A person ended it; the session was ended in order.' }
  }
}

/** Kept in the status, so that a run after one that was killed goes on counting. */
async function countAttempts({ folder, tell }: RunWorld, position: string, count: number): Promise<void> {
  try {
    await updateStatus(folder, (status) => ({ ...status, attempts: { ...status.attempts, [position]: count } }))
  } catch (thrown) {
    tell({ kind: 'note', text: `The attempts were not counted: ${messageOf(thrown)}` })
  }
}

interface Failed extends Finished {
  readonly verdict: Extract<SessionRun['verdict'], { is: 'failed' }>
  readonly decision: Decision
}

const ANSWERS: Readonly<Record<Decision['action'], string>> = {
  retry: 'The step was tried again.',
  'diagnose-and-retry': 'The next session was told what failed, to find the cause first.',
  'wait-and-retry': 'It was tried again after a while, with larger limits.',
  'rollback-and-replan': 'The next session was told to plan anew.',
  escalate: 'It was handed to a person.',
}

async function answerFailure(world: RunWorld, input: RunInput, failed: Failed): Promise<RunEnd | undefined> {
  const { state, verdict, decision, run, started } = failed
  const { failure, output } = verdict
  world.tell({ kind: 'failed', failure, decision })
  const rollback = decision.action === 'rollback-and-replan' ? await rollBack(world, failed.tree) : undefined
  if (rollback !== undefined) world.tell({ kind: 'note', text: describeRollback(rollback) })
  const patch = rollback?.is === 'done' ? rollback.patch : undefined
  state.attempts.push({
    sessionId: started.session.session_id,
    at: world.clock.now(),
    failure,
    answer: [ANSWERS[decision.action], ...(rollback === undefined ? [] : [describeRollback(rollback)])].join(' '),
    output,
    files: [world.folder.pathOf(run.logFile), ...(patch === undefined ? [] : [patch])],
  })
  if (decision.action === 'escalate')
    return giveUp(world, input, state, { why: `${failure.reason} ${decision.why}`, isFixerDue: decision.isFixerDue })
  state.last = { failure, decision, output, patch }
  state.limitScale = decision.action === 'wait-and-retry' ? decision.limitScale : 1
  await waitFor(world, decision.waitMs)
  return undefined
}

/** Not longer than until somebody asks to stop. */
async function waitFor(world: RunWorld, ms: number): Promise<void> {
  const untilMs = world.clock.monotonicMs() + ms
  while (world.clock.monotonicMs() < untilMs && stopReasonOf(world) === undefined)
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(STEP_MS, Math.max(1, untilMs - world.clock.monotonicMs())))
    })
}
