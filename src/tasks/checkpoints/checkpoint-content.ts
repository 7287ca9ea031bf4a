import type { Checkpoint } from '../../kernel/checkpoint.ts'
import { GATES, gateNumber, type Gate, GATE_INFO } from '../model/gate.ts'
import { findMissingArtefacts } from '../gates/gate-rules.ts'
import type {
  CheckpointContent,
  GateEvidence,
  TaskCheckpoint,
  TaskDecision,
  TestCounts,
} from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import { listChangedFiles, refuseUnobservedFiles } from '../patch/changed-files.ts'
import { getCurrentGate, listCheckpoints, type OpenTask } from '../files/open-task.ts'
import { parseTotals } from '../../kernel/text/test-totals.ts'
import { findHarnessSession, getEventSource, hasDied } from '../files/task-events.ts'
import { type TaskFolder, TASKS_FOLDER } from '../files/task-folder.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { sha256 } from '../../platform/base/crypto.ts'

const MAX_DECISIONS = 50

/** The newest checkpoint of the task session's harness session; one is taken if there is newer work. */
export async function findObservedCheckpoint(
  ports: TaskPorts,
  session: TaskSession | undefined,
): Promise<Checkpoint | undefined> {
  if (session === undefined || session.harness_session === null) return undefined
  const known = await findHarnessSession(ports, session)
  const trigger = known?.phase === 'ended' ? 'session_end' : hasDied(known, ports) ? 'interrupted' : 'periodic'
  if (known !== undefined) await ports.continuity.checkpoint(known.id, trigger)
  const { sessionKey, harness } = getEventSource(session)
  const stored = await ports.continuity.listCheckpoints({ sessionKey, limit: 5 })
  return stored.find(({ checkpoint }) => checkpoint.harness === harness)?.checkpoint
}

function testCounts({ work: { tests } }: Checkpoint): TestCounts | undefined {
  if (tests.length === 0) return undefined
  const sum = { passing: 0, failing: 0, pending: 0 }
  // A command that printed its totals; of another one, each result that it has.
  const withTotals = new Set(tests.flatMap(({ name, command }) => (parseTotals(name) === undefined ? [] : [command])))
  for (const { name, status, command } of tests) {
    const totals = parseTotals(name)
    if (totals !== undefined) {
      sum.passing += totals.passed
      sum.failing += totals.failed
      sum.pending += totals.pending
    } else if (!withTotals.has(command)) sum[status] += 1
  }
  return sum
}

/** Every decision of the task, the newest last; one that was made again counts once. */
export function listDecisions(checkpoints: readonly TaskCheckpoint[]): readonly TaskDecision[] {
  return mergeDecisions(checkpoints.flatMap(({ state }) => state.decisions))
}

function mergeDecisions(decisions: readonly TaskDecision[]): readonly TaskDecision[] {
  return [...new Map(decisions.map((one) => [one.decision, one])).values()].slice(-MAX_DECISIONS)
}

function observedDecisions({ work: { decisions } }: Checkpoint): readonly TaskDecision[] {
  return decisions.map(({ decision, rationale, alternatives }) => ({
    decision,
    rationale: rationale ?? '',
    alternatives_considered: alternatives ?? [],
  }))
}

/** The full state, for gates and session ends: what the caller gave, else what the chain, git and the harness session show. */
export async function collectContent(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  session: TaskSession | undefined,
  given: CheckpointContent,
): Promise<CheckpointContent> {
  await refuseUnobservedFiles({ folder, location }, given.files)
  const checkpoints = listCheckpoints(folder)
  const lastGate = checkpoints.findLastIndex(({ type }) => type === 'gate_transition')
  const since = checkpoints[lastGate]?.state.git?.head ?? undefined
  const observed = await findObservedCheckpoint(ports, session)
  const tests = checkpoints.slice(lastGate + 1).findLast(({ state }) => state.tests !== null)?.state.tests
  const nextAction = observed?.nextAction === undefined ? undefined : [observed.nextAction]
  return {
    ...given,
    files: given.files ?? (await listChangedFiles(location.worktree, since)),
    tests: given.tests ?? (observed === undefined ? undefined : testCounts(observed)) ?? tests ?? undefined,
    decisions: mergeDecisions([
      ...listDecisions(checkpoints),
      ...(observed === undefined ? [] : observedDecisions(observed)),
      ...(given.decisions ?? []),
    ]),
    nextSteps:
      given.nextSteps ?? (observed !== undefined && observed.nextSteps.length > 0 ? observed.nextSteps : nextAction),
  }
}

/** Words for what is still to be written, as often as a line has them; the last may say by whom. */
const NOTHING_YET = new RegExp(
  String.raw`^(?:(?:\d+|x|tbd|tba|to ?do|fixme|n/a|wip|work in progress|pending|placeholder(?: text)?|lorem ipsum|not started|to follow|coming soon|your text here|(?:none|nothing|no content)(?: here)?(?: yet)?|(?:fill|write|add) (?:this |me )?(?:in|here|later|something)|(?:(?:to|will|must) be|not yet) (?:done|written|added|defined|decided|completed|filled(?: in)?)(?: later| soon| here)?)(?: |$))*(?:by .*)?$`,
  'i',
)
/** `TBD: after the spike`; what follows a TODO may be the plan. */
const STILL_TO_DO = /^[\s>*+\d.[\]-]*(?:tbd|tba|wip)\s*[:–—-]/i
/** `[Describe your findings here]`, `<what the problem is>` and `{{content}}` of a template. */
const TEMPLATE =
  /^[\s>*+\d.-]*(?:\{\{[^{}]*\}\}|<[^<>/]*>|[[(](?:describe|list|add|fill|insert|explain|summari[sz]e|enter|write|your)\b[^[\]()]*[\])])\s*\.?\s*$/i

function isNothing(line: string): boolean {
  const words = line.replace(/[\s>|:*+_.…#!,;()[\]`~-]+/g, ' ').trim()
  return NOTHING_YET.test(words) || STILL_TO_DO.test(line) || TEMPLATE.test(line)
}

/** Whether a page has more than headings, comments and words for what is still to be written. */
export function hasContent(page: string): boolean {
  const text = page.replace(/<!--[\s\S]*?-->/g, '')
  return text.split('\n').some((line) => !/^\s*#{1,6}(?:\s|$)/.test(line) && !isNothing(line))
}

function isPage(folder: TaskFolder, path: string): boolean {
  const text = folder.text(path)
  return text !== undefined && (!path.endsWith('.md') || hasContent(text))
}

/** Hashes of the files that the gates up to this one produced. */
export function collectEvidence(folder: TaskFolder, gate: Gate): readonly GateEvidence[] {
  return GATES.filter((one) => gateNumber(one) <= gateNumber(gate))
    .flatMap((one) => GATE_INFO[one].artefacts)
    .flatMap((path) => {
      const bytes = isPage(folder, path) ? folder.bytes(path) : undefined
      return bytes === undefined ? [] : [{ path, sha256: sha256(bytes) }]
    })
}

export function findMissingPages(folder: TaskFolder, gate: Gate): readonly string[] {
  return findMissingArtefacts(gate, (path) => isPage(folder, path))
}

/** Refuses files that are not on disk. Returns the pages of gates among them: their new content counts from now on. */
export async function checkListedFiles(
  { folder, location }: OpenTask,
  { files = [] }: CheckpointContent,
): Promise<readonly GateEvidence[]> {
  await refuseUnobservedFiles({ folder, location }, files)
  const listed = new Set(files.map(({ path }) => path))
  return collectEvidence(folder, getCurrentGate(folder)).filter(({ path }) =>
    listed.has(`${TASKS_FOLDER}/${folder.slug}/${path}`),
  )
}
