import { type Gate, GATE_FACTS, gateLabel } from '../model/gate.ts'
import type { CheckpointContent, TaskCheckpointType } from '../model/task-checkpoint.ts'

interface Part {
  readonly name: string
  isThere(content: CheckpointContent): boolean
}

const isText = (text: string | undefined) => text !== undefined && text.trim() !== ''

const SUMMARY: Part = { name: 'a summary', isThere: ({ summary }) => isText(summary) }
const FILES: Part = { name: 'the list of files', isThere: ({ files = [] }) => files.length > 0 }
const DECISIONS: Part = { name: 'a decision', isThere: ({ decisions = [] }) => decisions.length > 0 }
const RATIONALE: Part = {
  name: 'the rationale of each decision',
  isThere: ({ decisions = [] }) => decisions.length > 0 && decisions.every(({ rationale }) => isText(rationale)),
}
const ALTERNATIVES: Part = {
  name: 'the alternatives that were considered',
  isThere: ({ decisions = [] }) =>
    decisions.length > 0 && decisions.every((one) => one.alternatives_considered.length > 0),
}
const ERROR: Part = {
  name: 'the error',
  isThere: ({ errors = [] }) => errors.length > 0 && errors.every(({ error }) => isText(error)),
}
const RESOLUTION: Part = {
  name: 'its resolution',
  isThere: ({ errors = [] }) => errors.length > 0 && errors.every(({ resolution }) => isText(resolution)),
}
const NEXT_STEPS: Part = { name: 'the next steps', isThere: ({ nextSteps = [] }) => nextSteps.length > 0 }
const TESTS: Part = { name: 'the test status', isThere: ({ tests }) => tests !== undefined }

/** S2 §3.1. What a person or an agent must say themselves: without it the checkpoint is refused. */
const REQUIRED_PARTS: Readonly<Record<TaskCheckpointType, readonly Part[]>> = {
  gate_transition: [SUMMARY],
  decision: [DECISIONS, RATIONALE, ALTERNATIVES],
  file_change: [FILES, SUMMARY],
  error_recovery: [ERROR, RESOLUTION],
  session_end: [SUMMARY],
  interrupted: [SUMMARY],
  emergency: [SUMMARY],
  context_refresh: [SUMMARY],
  explicit: [SUMMARY],
}

/** What a full state has beyond that: a checkpoint without it is kept, and says what it lacks. */
const WANTED_PARTS: Readonly<Partial<Record<TaskCheckpointType, readonly Part[]>>> = {
  gate_transition: [DECISIONS, TESTS, NEXT_STEPS],
  session_end: [NEXT_STEPS],
}

export function missingRequired(type: TaskCheckpointType, content: CheckpointContent): readonly string[] {
  return REQUIRED_PARTS[type].filter((part) => !part.isThere(content)).map(({ name }) => name)
}

export function missingWanted(type: TaskCheckpointType, content: CheckpointContent): readonly string[] {
  return (WANTED_PARTS[type] ?? []).filter((part) => !part.isThere(content)).map(({ name }) => name)
}

/** What a gate that is being left should have left behind, and did not. */
export function missingArtefacts(gate: Gate, isThere: (path: string) => boolean): readonly string[] {
  return GATE_FACTS[gate].artefacts.filter((path) => !isThere(path)).map((path) => `${path} of ${gateLabel(gate)}`)
}
