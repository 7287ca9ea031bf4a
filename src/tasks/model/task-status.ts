import type { Flow } from './flow.ts'
import type { Gate } from './gate.ts'

export const TASK_STATES = ['in-progress', 'complete', 'blocked'] as const
export type TaskState = (typeof TASK_STATES)[number]

/** A health check that failed at a start: nothing proceeds until one passes. */
export interface Regression {
  readonly priority: 'P0'
  readonly at: string
  readonly session_id: string
  readonly command: string
  readonly detail: string
}

/** `json/task-status.json`: where the task stands. Made again from the checkpoints when it is lost. */
export interface TaskStatus {
  readonly schema_version: 1
  readonly task_slug: string
  readonly flow: Flow
  readonly status: TaskState
  readonly current_gate: Gate
  readonly current_step: number
  readonly last_session: string | null
  readonly last_activity: string
  readonly last_checkpoint: string | null
  readonly blockers: readonly string[]
  readonly next_steps: readonly string[]
  /** Failed attempts by step, for example `G4-3`: what retries and the fixer count. */
  readonly attempts: Readonly<Record<string, number>>
  readonly regression: Regression | null
}

/** `meta/task.json`. */
export interface TaskDefinition {
  readonly schema_version: 1
  readonly task_slug: string
  readonly title: string
  readonly flow: Flow
  readonly acceptance_criteria: readonly string[]
  readonly created_at: string
}

/** `json/memory-ids.json`. `primary` is only ever an id that the memory's keeper gave. */
export interface MemoryIds {
  readonly primary: string | null
}

/** `json/run-manifest.json`: known keys are ours, unknown ones stay as they are. */
export type RunManifest = Readonly<Record<string, unknown>>

export function newTaskStatus(slug: string, flow: Flow, gate: Gate, at: string): TaskStatus {
  return {
    schema_version: 1,
    task_slug: slug,
    flow,
    status: 'in-progress',
    current_gate: gate,
    current_step: 0,
    last_session: null,
    last_activity: at,
    last_checkpoint: null,
    blockers: [],
    next_steps: [],
    attempts: {},
    regression: null,
  }
}

export function newRunManifest(slug: string): RunManifest {
  return {
    task_slug: slug,
    tier: 'standard',
    change_classes: [],
    arcs: [],
    spec: { current_state: '', desired_state: '' },
    verification: { success_criteria: [], commands: [] },
    learn: { insights: [], followups: [] },
    decision_hierarchy: { deterministic_tools: [], cli_invocations: [], prompts: [], agents_used: [] },
    evidence_triplet: { milestone_test: '', contract_snapshot: '', reviewer_pointer: '' },
    governance: { rules_index: '' },
    memory: { memory_ids: [], parity_verified: false, parity_timestamp: null },
  }
}
