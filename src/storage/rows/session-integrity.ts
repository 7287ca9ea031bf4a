import { PHASES, type Session } from '../../kernel/session.ts'
import { isCount, isText, parsed } from './row-integrity.ts'
import { storableText } from './sql-engine.ts'
import { isObject } from '../../kernel/json-shape.ts'

const SESSION_TEXTS = ['id', 'key', 'harness', 'startedAt', 'lastEventAt'] as const
const SESSION_COUNTS = [
  'lastEventSeq',
  'promptCount',
  'toolCount',
  'compactionCount',
  'promptsSinceCheckpoint',
  'epoch',
  'recoveredEpoch',
] as const
const OPTIONAL_SESSION_TEXTS = [
  'harnessVersion',
  'cwd',
  'transcriptPath',
  'source',
  'model',
  'previousSessionKey',
  'continues',
  'endedAt',
  'endReason',
  'lastCheckpointAt',
] as const
const PLACE_TEXTS = ['projectId', 'project', 'projectNormalized', 'worktree'] as const
function isPlace(value: unknown): boolean {
  return isObject(value) && PLACE_TEXTS.every((key) => isText(value[key]))
}

function isProcess(value: unknown): boolean {
  return isObject(value) && isCount(value['pid']) && (value['startedAt'] === undefined || isText(value['startedAt']))
}

function isProjectSince(value: unknown): boolean {
  return isObject(value) && isCount(value['seq']) && isText(value['at'])
}

function isMachine(value: unknown): boolean {
  return isObject(value) && isText(value['id']) && isText(value['name'])
}

function isLabels(value: unknown): boolean {
  return isObject(value) && Array.isArray(value['tags']) && value['tags'].every(isText)
}

function isSession(value: unknown): value is Session {
  return (
    isObject(value) &&
    SESSION_TEXTS.every((key) => isText(value[key])) &&
    SESSION_COUNTS.every((key) => isCount(value[key])) &&
    OPTIONAL_SESSION_TEXTS.every((key) => value[key] === undefined || isText(value[key])) &&
    PHASES.some((phase) => phase === value['phase']) &&
    typeof value['hasNewWork'] === 'boolean' &&
    (value['place'] === undefined || isPlace(value['place'])) &&
    (value['process'] === undefined || isProcess(value['process'])) &&
    (value['projectSince'] === undefined || isProjectSince(value['projectSince'])) &&
    (value['machine'] === undefined || isMachine(value['machine'])) &&
    (value['labels'] === undefined || isLabels(value['labels'])) &&
    (value['contextTokens'] === undefined || isCount(value['contextTokens'])) &&
    (value['contextWindowTokens'] === undefined || isCount(value['contextWindowTokens']))
  )
}

/** The session of a row; undefined when the row is inconsistent or its body is not a session. */
export function parseIntactSession(row: {
  readonly id: unknown
  readonly last_event_seq: unknown
  readonly body: unknown
}): Session | undefined {
  const session = parsed(row.body)
  if (!isSession(session)) return undefined
  return storableText(session.id) === row.id && session.lastEventSeq === row.last_event_seq ? session : undefined
}
