import { type ChainFile, headsOf, type CheckpointIndex } from '../chain/checkpoint-index.ts'
import { type Gate, laterGate } from '../model/gate.ts'
import type {
  ChainLink,
  CheckpointContent,
  EvidenceFile,
  TaskCheckpoint,
  TaskCheckpointType,
} from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { TaskStatus } from '../model/task-status.ts'
import { getStatus } from '../files/open-task.ts'
import { readChain, readIndex } from '../files/task-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'

export interface CheckpointRequest {
  readonly type: TaskCheckpointType
  readonly content: CheckpointContent
  /** Undefined when a person moves the task outside any session. */
  readonly session: TaskSession | undefined
  /** The task's own unless it is being entered. */
  readonly gate?: Gate
  readonly overrideReason?: string
  /** Made from what was seen: what nobody told is noted instead of refused. */
  readonly isObserved?: boolean
  /** What S2 wants and nobody told. */
  readonly missing?: readonly string[]
  readonly evidence?: readonly EvidenceFile[]
  /** What else changes about the status, in the same step. */
  readonly changeStatus?: (status: TaskStatus) => TaskStatus
}

/** The recorded hash where there is one: a file that was changed since must not get a successor that vouches for the change. */
function linkTo({ checkpoint, sha256 }: ChainFile, index: CheckpointIndex | undefined): ChainLink {
  const id = checkpoint.checkpoint_id
  const recorded = index?.checkpoints.find((entry) => entry.checkpoint_id === id)?.sha256
  return { checkpoint_id: id, sha256: recorded ?? sha256 }
}

export function composeCheckpoint(
  folder: TaskFolder,
  request: CheckpointRequest,
  facts: {
    readonly id: string
    readonly at: string
    readonly git: TaskCheckpoint['state']['git']
    readonly lacking: readonly string[]
  },
): TaskCheckpoint {
  const { type, content, session, evidence = [], missing = [] } = request
  const status = getStatus(folder)
  const heads = headsOf(readChain(folder).files)
  const index = readIndex(folder)
  const known = index === 'missing' || 'problem' in index ? undefined : index
  const [parent, ...others] = heads.map((head) => linkTo(head, known)).reverse()
  const current = heads.reduce((gate, { checkpoint }) => laterGate(gate, checkpoint.gate), status.current_gate)
  const gate = request.gate ?? (heads.length > 1 ? current : status.current_gate)
  const step = content.step ?? (type === 'gate_transition' ? 0 : status.current_step)
  const nextSteps = content.nextSteps ?? status.next_steps
  return {
    schema_version: 1,
    checkpoint_id: facts.id,
    task_slug: folder.slug,
    session_id: session?.session_id ?? null,
    timestamp: facts.at,
    gate,
    step,
    type,
    summary: content.summary ?? defaultSummary(request),
    state: {
      files_changed: content.files ?? [],
      tests: content.tests ?? null,
      decisions: content.decisions ?? [],
      errors: content.errors ?? [],
      blockers: content.blockers ?? status.blockers,
      git: facts.git,
      patch: content.patch ?? null,
      evidence,
      safety_metrics: content.safetyMetrics ?? null,
    },
    next_steps: nextSteps,
    can_resume: content.canResume ?? true,
    resume_instructions:
      content.resumeInstructions ?? `Continue from ${gate} step ${step + 1}${nextSteps[0] ? `, ${nextSteps[0]}` : ''}`,
    missing: [...facts.lacking, ...missing],
    override_reason: request.overrideReason ?? null,
    parent: parent ?? null,
    joins: others,
  }
}

function defaultSummary({ type, content }: CheckpointRequest): string {
  if (type === 'decision') return content.decisions?.map(({ decision }) => decision).join('; ') ?? ''
  if (type === 'error_recovery') return content.errors?.map(({ error }) => `Recovered: ${error}`).join('; ') ?? ''
  return type
}
