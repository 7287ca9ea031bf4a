import { canBecome } from '../../kernel/task-session-state.ts'
import { type Flow, formatGate, gateNumber, laterGate } from '../model/gate.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { TaskStatus } from '../model/task.ts'
import { findGateProblems, findHeldGates, findOpenGates } from '../gates/gate-rules.ts'
import { type ChainFile, findHeads, listLinks, sortChain } from './checkpoint-index.ts'
import type { ChainFinding } from './verify-chain.ts'

export interface RecordsInput {
  readonly slug: string
  readonly flow: Flow
  readonly files: readonly ChainFile[]
  /** Undefined if it is missing or unreadable. */
  readonly status: TaskStatus | undefined
  readonly sessions: readonly TaskSession[]
  /** Names of session files that are not sessions. */
  readonly unreadableSessions: readonly string[]
}

const REPAIR = (slug: string) =>
  `It is derived: \`holdfast checkpoints verify --task ${slug} --repair\` writes it again.`

/** Findings about `task-status.json`, which is derived from the chain. */
export function verifyStatus({
  slug,
  flow,
  files,
  status,
}: Pick<RecordsInput, 'slug' | 'flow' | 'files' | 'status'>): readonly ChainFinding[] {
  const subject = 'task-status.json'
  const finding = (message: string): ChainFinding => ({
    kind: 'status-changed',
    subject,
    message,
    remedy: REPAIR(slug),
  })
  if (status === undefined) return [finding('task-status.json is missing or cannot be read.')]
  const heads = findHeads(files).map(({ checkpoint }) => checkpoint)
  const head = heads.at(-1)
  // A merge of two clones is reported as a fork.
  if (head === undefined || heads.length > 1) return []
  const checkpoints = sortChain(files).map(({ checkpoint }) => checkpoint)
  const open = findOpenGates(flow, findHeldGates(checkpoints))
  return [
    ...(status.current_gate === head.gate
      ? []
      : [finding(`task-status.json has the gate ${status.current_gate}; the newest checkpoint is at ${head.gate}.`)]),
    ...(status.last_checkpoint === head.checkpoint_id
      ? []
      : [
          finding(
            `task-status.json names ${status.last_checkpoint ?? 'no checkpoint'} as the newest; it is ${head.checkpoint_id}.`,
          ),
        ]),
    ...(status.current_step === head.step
      ? []
      : [finding(`task-status.json has the step ${status.current_step}; the newest checkpoint has ${head.step}.`)]),
    ...(JSON.stringify(status.next_steps) === JSON.stringify(head.next_steps)
      ? []
      : [finding('task-status.json has other next steps than the newest checkpoint.')]),
    ...((status.status === 'blocked') === status.blockers.length > 0 || status.status === 'complete'
      ? []
      : [finding(`task-status.json says ${status.status}, with ${status.blockers.length} blockers.`)]),
    ...(status.flow === flow ? [] : [finding(`task-status.json has the flow ${status.flow}; the task has ${flow}.`)]),
    ...(status.status !== 'complete' || open.length === 0
      ? []
      : [finding(`task-status.json says complete, but ${open.map(formatGate).join(', ')} were not entered.`)]),
  ]
}

/** The checkpoints that this one follows, directly or not, in chain order. */
function listAncestors(file: ChainFile, files: readonly ChainFile[]): readonly TaskCheckpoint[] {
  const byId = new Map(files.map((one) => [one.checkpoint.checkpoint_id, one]))
  const found = new Set<ChainFile>()
  const waiting = [file]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const link of listLinks(next.checkpoint)) {
      const parent = byId.get(link.checkpoint_id)
      if (parent === undefined || found.has(parent)) continue
      found.add(parent)
      waiting.push(parent)
    }
  return sortChain([...found]).map(({ checkpoint }) => checkpoint)
}

/** Gates that were entered past required ones, and checkpoints at a gate that nothing entered. */
function skippedGateFindings({ slug, flow, files }: RecordsInput): readonly ChainFinding[] {
  return files.flatMap((file): readonly ChainFinding[] => {
    const { checkpoint_id: id, type, gate } = file.checkpoint
    const before = listAncestors(file, files)
    if (before.length === 0) return []
    const remedy = `Restore tasks/${slug}/json/checkpoints from git.`
    if (type === 'gate_transition') {
      const problems = findGateProblems({ flow, to: gate, held: findHeldGates(before) })
      return problems.length === 0
        ? []
        : [
            {
              kind: 'skipped-gate',
              subject: id,
              message: `${id} enters ${formatGate(gate)}. ${problems.join(' ')}`,
              remedy,
            },
          ]
    }
    const parents = listLinks(file.checkpoint).flatMap(({ checkpoint_id: parent }) =>
      before.filter((one) => one.checkpoint_id === parent).map((one) => one.gate),
    )
    if (parents.length === 0 || parents.reduce(laterGate) === gate) return []
    // A step back is reported as such.
    if (gateNumber(gate) < gateNumber(parents.reduce(laterGate))) return []
    return [
      {
        kind: 'skipped-gate',
        subject: id,
        message: `${id} is at ${formatGate(gate)}, which no checkpoint entered.`,
        remedy,
      },
    ]
  })
}

function findSessionProblems(session: TaskSession, { slug, files, sessions }: RecordsInput): readonly string[] {
  const { session_id: id, state, transitions, checkpoint_count: count } = session
  const own = sortChain(files).flatMap(({ checkpoint }) => (checkpoint.session_id === id ? [checkpoint] : []))
  const last = transitions.at(-1)?.to ?? 'init'
  const steps = transitions.every(
    ({ from, to }, n) => from === (transitions[n - 1]?.to ?? 'init') && canBecome(from, to),
  )
  const end = own.findLast(({ type }) => type === 'session_end')
  const gate = own.at(-1)?.gate ?? session.current_gate
  const outcome = state === 'complete' ? (end?.outcome ?? session.outcome) : session.outcome
  const parent = session.parent_session
  return [
    ...(state === last ? [] : [`has the state ${state}, but its last transition is to ${last}`]),
    ...(session.task_slug === slug ? [] : [`belongs to the task ${session.task_slug}`]),
    ...(session.current_gate === gate ? [] : [`is at ${session.current_gate}; its newest checkpoint is at ${gate}`]),
    ...(session.outcome === outcome ? [] : [`has the outcome ${session.outcome}; it ended with ${outcome}`]),
    ...(steps ? [] : ['has transitions that are not possible']),
    ...(count === own.length ? [] : [`counts ${count} checkpoints; there are ${own.length}`]),
    ...(transitions.some(({ to }) => to === 'complete') && end === undefined
      ? ['is complete without a session_end checkpoint']
      : []),
    ...(parent === null || sessions.some(({ session_id }) => session_id === parent)
      ? []
      : [`names the parent ${parent}, which has no file`]),
  ]
}

function sessionFileFindings(input: RecordsInput): readonly ChainFinding[] {
  const remedy = (name: string) =>
    `Compare it with git: git log -p -- tasks/${input.slug}/json/sessions/${name}. Counts, gates and children are derived again with --repair.`
  return [
    ...input.unreadableSessions.map(
      (name): ChainFinding => ({
        kind: 'session-changed',
        subject: name,
        message: `json/sessions/${name} is not a session of this task.`,
        remedy: remedy(name),
      }),
    ),
    ...input.sessions.flatMap((session) =>
      findSessionProblems(session, input).map(
        (problem): ChainFinding => ({
          kind: 'session-changed',
          subject: session.session_id,
          message: `${session.session_id} ${problem}.`,
          remedy: remedy(`${session.session_id}.json`),
        }),
      ),
    ),
  ]
}

/** The session that the status names as the last one, without a file. */
function lastSessionFindings({ slug, status, sessions }: RecordsInput): readonly ChainFinding[] {
  const last = status?.last_session ?? null
  if (last === null || sessions.some(({ session_id: id }) => id === last)) return []
  const message = `task-status.json names ${last} as the last session, which has no file.`
  return [{ kind: 'status-changed', subject: 'task-status.json', message, remedy: REPAIR(slug) }]
}

/** A failed health check that the status does not have any more, though no session started since. */
function regressionFindings({ slug, status, sessions }: RecordsInput): readonly ChainFinding[] {
  const newest = sessions.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1)).at(-1)
  const hasFailed = newest?.transitions.some(({ reason }) => reason === 'health check: fail') === true
  const isOpen = newest?.transitions.every(({ to }) => to !== 'active') === true
  if (status === undefined || status.regression !== null || !hasFailed || !isOpen) return []
  return [
    {
      kind: 'status-changed',
      subject: 'task-status.json',
      message: `task-status.json has no regression, but the health check of ${newest.session_id} failed.`,
      remedy: `\`holdfast session start --task ${slug}\` runs the health check again.`,
    },
  ]
}

/** Findings about what is derived from the checkpoints or stands beside them: the status, the gates and the session files. */
export function verifyRecords(input: RecordsInput): readonly ChainFinding[] {
  return [
    ...verifyStatus(input),
    ...lastSessionFindings(input),
    ...regressionFindings(input),
    ...skippedGateFindings(input),
    ...sessionFileFindings(input),
  ]
}
