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
import { listChangedFiles } from '../patch/changed-files.ts'
import { listCheckpoints, type OpenTask } from '../files/open-task.ts'
import { getEventSource } from '../files/task-events.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { sha256 } from '../../platform/base/crypto.ts'

/** The newest checkpoint of the task session's harness session. */
export async function findObservedCheckpoint(
  ports: TaskPorts,
  session: TaskSession | undefined,
): Promise<Checkpoint | undefined> {
  if (session === undefined || session.harness_session === null) return undefined
  const { sessionKey, harness } = getEventSource(session)
  const stored = await ports.continuity.listCheckpoints({ sessionKey, limit: 5 })
  return stored.find(({ checkpoint }) => checkpoint.harness === harness)?.checkpoint
}

function testCounts({ work: { tests } }: Checkpoint): TestCounts | undefined {
  if (tests.length === 0) return undefined
  const count = (status: string) => tests.filter((test) => test.status === status).length
  return { passing: count('passing'), failing: count('failing'), pending: count('pending') }
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

/** The full state, for gates and session ends: what the caller gave, else what the chain, git and the harness session show. */
export async function collectContent(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  session: TaskSession | undefined,
  given: CheckpointContent,
): Promise<CheckpointContent> {
  const checkpoints = listCheckpoints(folder)
  const lastGate = checkpoints.findLastIndex(({ type }) => type === 'gate_transition')
  const since = checkpoints[lastGate]?.state.git?.head ?? undefined
  const observed = await findObservedCheckpoint(ports, session)
  const decisions = decisionsIn(checkpoints.slice(lastGate + 1))
  return {
    ...given,
    files: given.files ?? (await listChangedFiles(location.worktree, since)),
    tests: given.tests ?? (observed === undefined ? undefined : testCounts(observed)),
    decisions:
      given.decisions ?? (decisions.length > 0 || observed === undefined ? decisions : observedDecisions(observed)),
    nextSteps:
      given.nextSteps ?? (observed !== undefined && observed.nextSteps.length > 0 ? observed.nextSteps : undefined),
  }
}

/** Whether a page has more than headings and comments. */
export function hasContent(page: string): boolean {
  const text = page.replace(/<!--[\s\S]*?-->/g, '')
  return text.split('\n').some((line) => line.trim() !== '' && !/^\s*#{1,6}\s/.test(line))
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
