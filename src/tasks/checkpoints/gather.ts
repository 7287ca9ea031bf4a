import type { Checkpoint } from '../../kernel/checkpoint.ts'
import { isWritten } from '../model/scaffold.ts'
import { GATES, gateNumber, type Gate, GATE_FACTS } from '../model/gate.ts'
import { missingArtefacts } from '../gates/required-content.ts'
import type {
  CheckpointContent,
  EvidenceFile,
  TaskCheckpoint,
  TaskDecision,
  TestCounts,
} from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import { changedFiles } from '../patch/changed-files.ts'
import { checkpointsOf, type OpenTask } from '../files/open-task.ts'
import { speakerOf } from '../files/task-events.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { hashOf, type TaskWorld } from '../files/task-ports.ts'

/** What was seen of the harness session behind a task session; undefined when nobody is, or nothing was kept of it. */
export async function observedOf(world: TaskWorld, session: TaskSession | undefined): Promise<Checkpoint | undefined> {
  if (session === undefined || session.harness_session === null) return undefined
  const { sessionKey, harness } = speakerOf(session)
  const kept = await world.continuity.listCheckpoints({ sessionKey, limit: 5 })
  return kept.find(({ checkpoint }) => checkpoint.harness === harness)?.checkpoint
}

function testCounts({ work: { tests } }: Checkpoint): TestCounts | undefined {
  if (tests.length === 0) return undefined
  const having = (status: string) => tests.filter((test) => test.status === status).length
  return { passing: having('passing'), failing: having('failing'), pending: having('pending') }
}

function decisionsIn(checkpoints: readonly TaskCheckpoint[]): readonly TaskDecision[] {
  return checkpoints.filter(({ type }) => type === 'decision').flatMap(({ state }) => state.decisions)
}

function observedDecisions({ work: { decisions } }: Checkpoint): readonly TaskDecision[] {
  return decisions.map(({ decision, rationale, alternatives }) => ({
    decision,
    rationale: rationale ?? '',
    alternatives_considered: alternatives ?? [],
  }))
}

/** The full state, for gates and ends: what was told, then what the chain, git and the harness session show. */
export async function fullContent(
  world: TaskWorld,
  { folder, place }: OpenTask,
  session: TaskSession | undefined,
  told: CheckpointContent,
): Promise<CheckpointContent> {
  const checkpoints = checkpointsOf(folder)
  const lastGate = checkpoints.findLastIndex(({ type }) => type === 'gate_transition')
  const since = checkpoints[lastGate]?.state.git?.head ?? undefined
  const observed = await observedOf(world, session)
  const decisions = decisionsIn(checkpoints.slice(lastGate + 1))
  return {
    ...told,
    files: told.files ?? (await changedFiles(place.worktree, since)),
    tests: told.tests ?? (observed === undefined ? undefined : testCounts(observed)),
    decisions:
      told.decisions ?? (decisions.length > 0 || observed === undefined ? decisions : observedDecisions(observed)),
    nextSteps:
      told.nextSteps ?? (observed !== undefined && observed.nextSteps.length > 0 ? observed.nextSteps : undefined),
  }
}

function isPage(folder: TaskFolder, path: string): boolean {
  const text = folder.text(path)
  return text !== undefined && (!path.endsWith('.md') || isWritten(text))
}

/** What the gates up to this one left behind in the task folder, by hash. */
export function evidenceUpTo(folder: TaskFolder, gate: Gate): readonly EvidenceFile[] {
  return GATES.filter((one) => gateNumber(one) <= gateNumber(gate))
    .flatMap((one) => GATE_FACTS[one].artefacts)
    .flatMap((path) => {
      const bytes = isPage(folder, path) ? folder.bytes(path) : undefined
      return bytes === undefined ? [] : [{ path, sha256: hashOf(bytes) }]
    })
}

export function missingPages(folder: TaskFolder, gate: Gate): readonly string[] {
  return missingArtefacts(gate, (path) => isPage(folder, path))
}
