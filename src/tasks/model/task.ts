import type { Flow, Gate } from './gate.ts'
import { HoldfastError } from '../../kernel/errors.ts'

const MAX_SLUG_CHARS = 64
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const WINDOWS_NAMES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

function findSlugProblem(slug: string): string | undefined {
  if (slug === '') return 'A task needs a slug.'
  if (slug.length > MAX_SLUG_CHARS) return `A slug has at most ${MAX_SLUG_CHARS} characters.`
  if (WINDOWS_NAMES.test(slug)) return `${JSON.stringify(slug)} cannot be a folder's name on Windows.`
  if (!KEBAB.test(slug))
    return `${JSON.stringify(slug.slice(0, 80))} is not a slug: use lower-case letters a-z and digits, with single hyphens between.`
  return undefined
}

/** Whether it may name a folder under `tasks/`. A slug has no separator, dot or shell metacharacter. */
export function isSlug(text: string): boolean {
  return findSlugProblem(text) === undefined
}

function suggestSlug(text: string): string | undefined {
  const words = text
    .slice(0, 200)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const slug = words.slice(0, 8).join('-').slice(0, MAX_SLUG_CHARS).replace(/-+$/, '')
  return isSlug(slug) ? slug : undefined
}

/** Refuses an invalid slug, suggesting a valid one. */
export function parseSlug(text: string): string {
  const problem = findSlugProblem(text)
  if (problem === undefined) return text
  throw new HoldfastError('invalid-input', problem, {
    hint: `Try ${JSON.stringify(suggestSlug(text) ?? 'feat-user-auth')}.`,
  })
}

export const TASK_STATES = ['in-progress', 'complete', 'blocked'] as const
export type TaskState = (typeof TASK_STATES)[number]

/** A failed health check: the task is blocked until one passes. */
export interface Regression {
  readonly priority: 'P0'
  readonly at: string
  readonly session_id: string
  readonly command: string
  readonly detail: string
}

/** `json/task-status.json`. `repair` rebuilds it from the checkpoints. */
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
  /** Failed attempts by step, for example `G4-3`. Retries and the fixer count them. */
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

/** `json/memory-ids.json`. `primary` is an id of the memory backend that is configured, else of the local store. */
export interface MemoryIds {
  readonly primary: string | null
  /** The id of the copy in the local store, if `primary` is in a REST backend. */
  readonly local?: string | undefined
}

/** `json/run-manifest.json`. Unknown keys are preserved. */
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
