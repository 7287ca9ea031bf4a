import { readFileSync } from 'node:fs'
import { ENTITY_TYPES, type EntityType } from '../../../kernel/agent-records.ts'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { openDatabase, type SqliteDatabase } from '../../../storage/sqlite/connection/driver.ts'

/** What session-continuity-mcp stores: github.com/rebots-online/session-continuity-mcp at 62c44c7. */
export interface ContextDb {
  readonly projects: readonly {
    readonly name: string
    readonly rootPath: string
    readonly keywords: readonly string[]
  }[]
  readonly intents: readonly ContextIntent[]
  readonly summaries: readonly ContextSummary[]
  readonly entities: readonly ContextEntity[]
  /** Marks that never reached CHECKLIST.md. */
  readonly marks: number
}

interface ContextIntent {
  readonly project: string
  readonly sessionLabel?: string
  readonly intent: string
  readonly files: readonly string[]
  readonly startedAt: string
  readonly completedAt?: string
  readonly outcome?: string
}

interface ContextSummary {
  readonly project: string
  readonly sessionLabel?: string
  readonly summary: string
  readonly files: readonly string[]
  readonly entities: readonly string[]
  readonly savedAt: string
}

interface ContextEntity {
  readonly project: string
  readonly name: string
  readonly type: EntityType
  readonly file: string
  readonly line?: number
}

const SQLITE_HEAD = 'SQLite format 3\0'
const PAGE_ROWS = 5_000

export function isSqliteFile(path: string): boolean {
  try {
    return readFileSync(path).subarray(0, SQLITE_HEAD.length).toString('latin1') === SQLITE_HEAD
  } catch {
    // A folder, or unreadable: the reader of transcripts reports it.
    return false
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

function toTexts(value: unknown): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(toText(value) || '[]')
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

const optional = <Key extends string>(key: Key, value: unknown): { readonly [name in Key]?: string } => {
  const text = toText(value)
  const found: { [name in Key]?: string } = {}
  if (text !== '') found[key] = text
  return found
}

function readAll(database: SqliteDatabase): ContextDb {
  const rows = (sql: string) => {
    const page = database.prepare(`${sql} limit ${PAGE_ROWS} offset ?`)
    const all: Record<string, unknown>[] = []
    for (;;) {
      const found = page.all(all.length)
      for (const row of found) all.push(row)
      if (found.length < PAGE_ROWS) return all
    }
  }
  const keywords = rows('select project, keyword from project_keywords order by project, keyword')
  return {
    projects: rows('select name, root_path from project_registry order by name').map((row) => ({
      name: toText(row.name),
      rootPath: toText(row.root_path),
      keywords: keywords.filter(({ project }) => project === row.name).map(({ keyword }) => toText(keyword)),
    })),
    intents: rows('select * from session_intents order by id').map((row) => ({
      project: toText(row.project),
      intent: toText(row.intent),
      files: toTexts(row.files_to_touch),
      startedAt: toText(row.started_at),
      ...optional('sessionLabel', row.session_id),
      ...optional('completedAt', row.completed_at),
      ...optional('outcome', row.outcome),
    })),
    summaries: rows('select * from session_summaries order by id').map((row) => ({
      project: toText(row.project),
      summary: toText(row.summary),
      files: toTexts(row.files_changed),
      entities: toTexts(row.entities_registered),
      savedAt: toText(row.saved_at),
      ...optional('sessionLabel', row.session_id),
    })),
    entities: rows('select * from entity_registry order by id').flatMap((row) => {
      const type = ENTITY_TYPES.find((known) => known === row.type)
      const line = typeof row.line === 'number' && row.line > 0 ? { line: row.line } : {}
      return type === undefined
        ? []
        : [{ project: toText(row.project), name: toText(row.name), type, file: toText(row.file), ...line }]
    }),
    marks: Number(database.prepare('select count(*) as n from checklist_cache').get()?.n ?? 0),
  }
}

/** Reads a context.db; refuses a database of another shape. */
export function readContextDb(path: string): ContextDb {
  try {
    const database = openDatabase(path, { readOnly: true, timeout: 2_000 })
    try {
      // One state of the database for all pages: its program may be running.
      database.exec('begin')
      return readAll(database)
    } finally {
      database.close()
    }
  } catch (cause) {
    throw new HoldfastError('invalid-input', `${path} is not a context.db: ${getErrorMessage(cause)}`, {
      hint: 'Give the context.db of session-continuity-mcp, or a folder of transcripts.',
      cause,
    })
  }
}
