import { gateLabel } from './gate.ts'
import type { TaskCheckpoint } from './task-checkpoint.ts'
import type { TaskDefinition, TaskStatus } from './task-status.ts'

const MAX_MIRROR_CHARS = 2_000
const MAX_MEMORY_CHARS = 12_000

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n${lines.length === 0 ? '- nothing yet' : lines.map((line) => `- ${line}`).join('\n')}`
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

/** A task checkpoint as a memory: what somebody who searches for it would want to read. */
export function checkpointMemory(checkpoint: TaskCheckpoint): string {
  const { state } = checkpoint
  const lines = [
    `Task ${checkpoint.task_slug}, ${gateLabel(checkpoint.gate)}, ${checkpoint.type}: ${checkpoint.summary}`,
    ...state.decisions.map(({ decision, rationale }) => `Decided: ${decision} (${rationale})`),
    ...state.errors.map(({ error, resolution }) => `Error: ${error}. Resolved: ${resolution}`),
    ...(state.files_changed.length > 0
      ? [
          `Files: ${state.files_changed
            .map(({ path }) => path)
            .slice(0, 20)
            .join(', ')}`,
        ]
      : []),
    ...(checkpoint.next_steps.length > 0 ? [`Next: ${checkpoint.next_steps.join('; ')}`] : []),
    `Checkpoint ${checkpoint.checkpoint_id}`,
  ]
  return cut(lines.join('\n'), MAX_MIRROR_CHARS)
}

/** `/memorize`: the eight sections, from what the checkpoints say. */
export function taskMemory(
  definition: TaskDefinition,
  status: TaskStatus,
  checkpoints: readonly TaskCheckpoint[],
): string {
  const decisions = checkpoints.flatMap(({ state }) => state.decisions)
  const files = new Set(checkpoints.flatMap(({ state }) => state.files_changed.map(({ path }) => path)))
  const errors = checkpoints.flatMap(({ state }) => state.errors)
  const unique = [...new Map(decisions.map((one) => [one.decision, one])).values()]
  const text = [
    `# Task ${definition.task_slug}: ${definition.title}`,
    section('Core Understanding', [
      `${definition.flow} task, ${status.status}, at ${gateLabel(status.current_gate)}`,
      ...definition.acceptance_criteria,
    ]),
    section(
      'Conversation Evolution',
      checkpoints.slice(-20).map(({ timestamp, gate, summary }) => `${timestamp.slice(0, 10)} ${gate}: ${summary}`),
    ),
    section(
      'Key Decisions',
      unique.slice(-20).map(({ decision, rationale }) => `${decision} → ${rationale}`),
    ),
    section('Specifications/Artifacts', [...files].slice(0, 40)),
    section(
      'Important Points',
      errors.slice(-10).map(({ error, resolution }) => `${error} → ${resolution}`),
    ),
    section('User Context', [`Why: ${definition.title}`]),
    section('Related Systems', []),
    section('Context & Constraints', [
      ...status.blockers.map((blocker) => `Blocked: ${blocker}`),
      ...status.next_steps.map((next) => `Next: ${next}`),
    ]),
  ].join('\n\n')
  return cut(text, MAX_MEMORY_CHARS)
}
