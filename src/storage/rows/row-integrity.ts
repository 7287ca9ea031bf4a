import type { Kysely } from 'kysely'
import { ENTITY_TYPES, SESSION_PHASES } from '../../kernel/agent-records.ts'
import { FIND_KINDS } from '../../kernel/archive.ts'
import { ITEM_STATUSES, RUN_ENDS, type VerificationRun } from '../../kernel/checklist.ts'
import { COMMAND_PURPOSES } from '../../kernel/checkpoint.ts'
import { INJECTION_KINDS, type LineReason, VERDICTS } from '../../kernel/injection.ts'
import {
  MEMORY_TYPES,
  type FailureEvidence,
  FAILURE_KINDS,
  type MemoryAnchor,
  WORK_ITEM_KINDS,
} from '../../kernel/memory.ts'
import { SYNC_TOPICS } from '../../kernel/ports/sync-store.ts'
import { RULE_SCOPES, RULE_SOURCES, RULE_STATES } from '../../kernel/rule.ts'
import { isAnchorList, isOriginValue, RECORD_SHAPES } from './record-shapes.ts'
import { chainHash } from './body.ts'
import { noteDamage } from './sql-engine.ts'
import type { Tables } from './schema.ts'
import { isObject } from '../../kernel/json-shape.ts'
import { sha256 } from '../../platform/base/crypto.ts'

// A flipped bit on disk can turn any column into another type, another text, or invalid JSON. A damaged row must not reach
// the caller of a query.

type ColumnKind =
  | 'text'
  | 'text?'
  | 'time'
  | 'number'
  | 'number?'
  | 'strings'
  | 'texts'
  | 'reasons'
  | 'run?'
  | 'evidence?'
  | 'anchors?'
  | 'origin?'
  | 'json'
  | OneOf
/** The allowed values of a column. */
type OneOf = readonly string[]

/** The type of every column of tables without a hash. */
const SHAPES = {
  memories: {
    row_id: 'number',
    id: 'text',
    project_id: 'text',
    type: MEMORY_TYPES,
    content: 'text',
    importance: 'number',
    tags: 'strings',
    source: 'text',
    session_id: 'text?',
    created_at: 'time',
    supersedes: 'text?',
    superseded_by: 'text?',
    hits: 'number',
    last_hit_at: 'text?',
    evidence: 'evidence?',
    anchors: 'anchors?',
    scope: 'text?',
    principal: 'text?',
    machine: 'text?',
    machine_name: 'text?',
  },
  archive_items: {
    event_seq: 'number',
    session_id: 'text',
    project_id: 'text?',
    harness: 'text',
    kind: FIND_KINDS,
    at: 'text',
    text: 'text',
  },
  work_snapshots: { session_id: 'text', event_seq: 'number', transcript_offset: 'number', state: 'text' },
  injections: {
    seq: 'number',
    session_id: 'text',
    at: 'time',
    kind: INJECTION_KINDS,
    epoch: 'number',
    chars: 'number',
    text_hash: 'text',
    sources: 'strings',
    reasons: 'reasons',
  },
  sightings: { hook: 'text', harness: 'text', harness_version: 'text', count: 'number', last_seen_at: 'time' },
  projects: { name: 'text', root_path: 'text', project_id: 'text', added_at: 'time' },
  project_keywords: { keyword: 'text', project: 'text' },
  session_intents: {
    seq: 'number',
    id: 'text',
    project_id: 'text',
    worktree: 'text',
    session_label: 'text',
    session_id: 'text?',
    intent: 'text',
    files: 'strings',
    started_at: 'time',
    completed_at: 'text?',
    outcome: 'text?',
  },
  entities: {
    name: 'text',
    project_id: 'text',
    type: ENTITY_TYPES,
    file: 'text',
    line: 'number?',
    last_seen_at: 'time',
  },
  session_summaries: {
    seq: 'number',
    id: 'text',
    project_id: 'text',
    worktree: 'text',
    session_label: 'text?',
    session_id: 'text?',
    summary: 'text',
    files_changed: 'strings',
    entities_registered: 'strings',
    checklist_progress: 'texts',
    saved_at: 'time',
  },
  work_items: {
    row_id: 'number',
    project_id: 'text',
    kind: WORK_ITEM_KINDS,
    item_id: 'text',
    work_key: 'text',
    session_id: 'text?',
    title: 'text',
    text: 'text',
    terms: 'text',
    files: 'strings',
    at: 'time',
  },
  session_phases: { session_label: 'text', phase: SESSION_PHASES, at: 'time' },
  checklist_records: {
    seq: 'number',
    id: 'text',
    project_id: 'text',
    item_id: 'text',
    section: 'text',
    item_text: 'text',
    status: ITEM_STATUSES,
    note: 'text?',
    marked_by: 'text',
    at: 'time',
    run: 'run?',
  },
  project_locations: {
    machine_id: 'text',
    location: 'text',
    project_id: 'text',
    remote: 'text?',
    remotes: 'strings',
    stamp: 'text?',
    root_commit: 'text?',
    commits: 'strings',
    moved_from: 'text?',
    last_seen_at: 'time',
    origin: 'origin?',
  },
  rules: {
    row_id: 'number',
    id: 'text',
    project_id: 'text',
    text: 'text',
    since: 'time',
    state: RULE_STATES,
    source: RULE_SOURCES,
    scope: RULE_SCOPES,
    session_id: 'text?',
    event_id: 'text?',
    superseded_by: 'text?',
    retired_at: 'text?',
    origin: 'origin?',
  },
  ...RECORD_SHAPES,
  sync_entries: { name: 'text', topic: SYNC_TOPICS, space: 'text', body: 'json' },
} as const satisfies Partial<Record<keyof Tables, Readonly<Record<string, ColumnKind>>>>

export type ShapedTable = keyof typeof SHAPES
export const SHAPED_TABLES: readonly ShapedTable[] = [
  'memories',
  'work_snapshots',
  'injections',
  'sightings',
  'projects',
  'project_keywords',
  'session_intents',
  'entities',
  'session_summaries',
  'session_phases',
  'checklist_records',
  'project_locations',
  'rules',
  'record_versions',
  'machines',
  'erased_ids',
  'taken_work',
  'sync_entries',
]

/** Undefined for invalid JSON. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isTime(value: unknown): boolean {
  return isText(value) && !Number.isNaN(Date.parse(value))
}

function isAllowed(texts: OneOf, value: unknown): boolean {
  return isText(value) && texts.includes(value)
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every(isText)
}

function isReason(value: unknown): value is LineReason {
  if (!isObject(value)) return false
  const { line, origin, reason, section, verdict, score } = value
  return (
    [line, origin, reason].every(isText) &&
    (section === undefined || isText(section)) &&
    (verdict === undefined || isAllowed(VERDICTS, verdict)) &&
    (score === undefined || isCount(score))
  )
}

function isReasonList(value: unknown): value is readonly LineReason[] {
  return Array.isArray(value) && value.every(isReason)
}

function isRun(value: unknown): value is VerificationRun {
  return (
    isObject(value) &&
    [value['command'], value['output']].every(isText) &&
    isTime(value['at']) &&
    (value['endedBy'] === undefined || isAllowed(RUN_ENDS, value['endedBy'])) &&
    typeof value['ok'] === 'boolean' &&
    isCount(value['durationMs'])
  )
}

function isCountList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(isCount)
}

function isEvidence(value: unknown): value is FailureEvidence {
  if (!isObject(value) || !FAILURE_KINDS.some((kind) => kind === value['kind'])) return false
  const { keys, traits, files, sessions, seqs, failures, epoch, command, error, undone, resolved, head } = value
  return (
    [keys, traits, files, sessions].every(isTextList) &&
    isCountList(seqs) &&
    [failures, epoch].every(isCount) &&
    isText(command) &&
    isAllowed(COMMAND_PURPOSES, value['purpose']) &&
    [error, head].every((text) => text === undefined || isText(text)) &&
    (undone === undefined || (isObject(undone) && isText(undone['how']))) &&
    (resolved === undefined || (isObject(resolved) && isTextList(resolved['files'])))
  )
}

const IS: Readonly<Record<Exclude<ColumnKind, OneOf>, (value: unknown) => boolean>> = {
  text: isText,
  'text?': (value) => value === null || isText(value),
  time: isTime,
  number: isCount,
  'number?': (value) => value === null || isCount(value),
  strings: (value) => isTextList(parsed(value)),
  texts: (value) => isTextMap(parsed(value)),
  reasons: (value) => isReasonList(parsed(value)),
  'run?': (value) => value === null || isRun(parsed(value)),
  'evidence?': (value) => value === null || isEvidence(parsed(value)),
  'anchors?': (value) => value === null || isAnchorList(parsed(value)),
  'origin?': (value) => value === null || isOriginValue(parsed(value)),
  json: (value) => parsed(value) !== undefined,
}
/** Columns that can be emptied without changing the meaning of the row. */
const DISPENSABLE: ReadonlySet<ColumnKind> = new Set<ColumnKind>([
  'strings',
  'texts',
  'reasons',
  'run?',
  'evidence?',
  'anchors?',
])

function hasKind(kind: ColumnKind, value: unknown): boolean {
  return typeof kind === 'string' ? IS[kind](value) : isAllowed(kind, value)
}

function damagedKinds(table: ShapedTable, row: object): readonly ColumnKind[] {
  const values = new Map<string, unknown>(Object.entries(row))
  const shape: Readonly<Record<string, ColumnKind>> = SHAPES[table]
  return Object.entries(shape).flatMap(([column, kind]) => (hasKind(kind, values.get(column)) ? [] : [kind]))
}

/** The key of the row, for messages. */
export function describeKey(table: ShapedTable, row: object): string {
  const values = new Map<string, unknown>(Object.entries(row))
  const [first = 'id'] = Object.keys(SHAPES[table])
  return String(values.get('id') ?? values.get(first))
}

export function isIntactRow(table: ShapedTable, row: object): boolean {
  return damagedKinds(table, row).length === 0
}

/** The intact rows. A row with a damaged list is included without the list: a memory is worth more than its tags. */
export function intactRows<Row extends object>(
  db: Kysely<Tables>,
  table: ShapedTable,
  rows: readonly Row[],
): readonly Row[] {
  return rows.filter((row) => {
    const damaged = damagedKinds(table, row)
    if (damaged.length > 0) noteDamage(db, { table, key: describeKey(table, row) })
    return damaged.every((kind) => DISPENSABLE.has(kind))
  })
}

export function isIntactEvent(row: {
  readonly prev_hash: unknown
  readonly body: unknown
  readonly hash: unknown
}): boolean {
  return isText(row.prev_hash) && isText(row.body) && chainHash(row.prev_hash, row.body) === row.hash
}

export function isIntactCheckpoint(row: { readonly hash: unknown; readonly body: unknown }): boolean {
  return isText(row.body) && sha256(row.body) === row.hash
}

export function isIntactReceipt(row: { readonly hash: unknown; readonly body: unknown }): boolean {
  return isIntactCheckpoint(row)
}

// Empty when the column was damaged; `intactRows` has reported the row then.

export function parseStrings(text: string): readonly string[] {
  const value = parsed(text)
  return isTextList(value) ? value : []
}

export function parseTexts(text: string): Readonly<Record<string, string>> {
  const value = parsed(text)
  return isTextMap(value) ? value : {}
}

export function parseReasons(text: string): readonly LineReason[] {
  const value = parsed(text)
  return isReasonList(value) ? value : []
}

export function parseRun(text: string | null): VerificationRun | undefined {
  const value = parsed(text)
  return isRun(value) ? value : undefined
}

export function parseAnchors(text: string | null): readonly MemoryAnchor[] | undefined {
  const value = parsed(text)
  return isAnchorList(value) ? value : undefined
}

export function parseOrigin(text: string | null) {
  const value = parsed(text)
  return isOriginValue(value) ? value : undefined
}

export function parseEvidence(text: string | null): FailureEvidence | undefined {
  const value = parsed(text)
  return isEvidence(value) ? value : undefined
}
