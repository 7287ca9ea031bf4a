import { sha256 } from './fake-ports.ts'
import type { ChainFile } from '../../src/tasks/chain/checkpoint-index.ts'
import { renderTaskJson, type TaskCheckpoint } from '../../src/tasks/model/task-checkpoint.ts'

export function fileOf(checkpoint: TaskCheckpoint): ChainFile {
  return { file: `${checkpoint.checkpoint_id}.json`, sha256: sha256(renderTaskJson(checkpoint)), checkpoint }
}

export interface Link {
  readonly id: string
  readonly after?: readonly ChainFile[]
  readonly more?: Partial<TaskCheckpoint>
}

/** A checkpoint that follows others, as they are. */
export function aCheckpoint({ id, after = [], more = {} }: Link): ChainFile {
  const [parent, ...joins] = after.map(({ checkpoint, sha256: hash }) => ({
    checkpoint_id: checkpoint.checkpoint_id,
    sha256: hash,
  }))
  return fileOf({
    schema_version: 1,
    checkpoint_id: id,
    task_slug: 'feat-x',
    session_id: 'session-1',
    timestamp: '2026-01-02T03:00:00.000Z',
    gate: 'G1',
    step: 0,
    type: 'explicit',
    summary: id,
    state: {
      files_changed: [],
      tests: null,
      decisions: [],
      errors: [],
      blockers: [],
      git: null,
      patch: null,
      evidence: [],
      safety_metrics: null,
    },
    next_steps: [],
    can_resume: true,
    resume_instructions: '',
    missing: [],
    override_reason: null,
    parent: parent ?? null,
    joins,
    ...more,
  })
}
