import { createHash } from 'node:crypto'
import { ProjectId } from '../src/kernel/id.ts'
import type { SqliteDatabase } from '../src/storage/sqlite/connection/driver.ts'
import { aCheckpoint, aPlace } from '../test/contracts/store-examples.ts'
import { canonicalJson } from '../src/kernel/json-shape.ts'

const ROWS_PER_TRANSACTION = 20_000
const ROWS_PER_SESSION = 50

export interface BenchProject {
  readonly id: ProjectId
  readonly path: string
}

/** A tenth of the rows belongs to one project, the rest to projects of about 500: a heavy user among ordinary ones. */
export function projectNumber(row: number, rows: number): BenchProject {
  const number = row % 10 === 0 ? 0 : 1 + (row % Math.max(1, Math.floor(rows / 500)))
  return { id: ProjectId(`project-${number}`), path: `/home/dev/project-${number}` }
}

function checkpointOf(row: number, rows: number) {
  const { id, path } = projectNumber(row, rows)
  const place = aPlace({ projectId: id, project: path, projectNormalized: path, worktree: path })
  const createdAt = new Date(1_700_000_000_000 + row * 1_000).toISOString()
  return aCheckpoint(`s${Math.floor(row / ROWS_PER_SESSION)}`, { place, createdAt, eventSeq: row })
}

/** Written straight into the table: what is measured is reading. */
export function buildCheckpoints(database: SqliteDatabase, rows: number, onProgress: (done: number) => void): void {
  const insert = database.prepare(`insert into session_checkpoints
    (id, session_id, session_key, harness, project, project_normalized, project_id, worktree, branch, head, "trigger",
     name, task, summary, digest, prompt_count, memory_queries, recent_remembers, parent_id, event_seq, created_at,
     prune_rank, hash, body)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, null, ?, ?, ?, ?, '[]', null, ?, ?, 1, ?, ?)`)
  // Nothing here needs to survive, and indexes are quicker made at the end.
  database.exec('pragma synchronous = off; pragma cache_size = -200000')
  const indexes = database
    .prepare(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'session_checkpoints' and sql is not null`,
    )
    .all()
  for (const { name } of indexes) database.exec(`drop index ${String(name)}`)
  database.exec('begin')
  for (let row = 0; row < rows; row += 1) {
    const checkpoint = checkpointOf(row, rows)
    const { place } = checkpoint
    const body = canonicalJson(checkpoint)
    insert.run(
      checkpoint.id,
      checkpoint.sessionId,
      checkpoint.sessionKey,
      checkpoint.harness,
      place.project,
      place.projectNormalized,
      place.projectId,
      place.worktree,
      place.branch ?? null,
      place.head ?? null,
      checkpoint.trigger,
      checkpoint.summary,
      checkpoint.digest,
      checkpoint.promptCount,
      canonicalJson(checkpoint.recentQueries),
      checkpoint.eventSeq,
      checkpoint.createdAt,
      createHash('sha256').update(body).digest('hex'),
      body,
    )
    if ((row + 1) % ROWS_PER_TRANSACTION !== 0) continue
    database.exec('commit; begin')
    onProgress(row + 1)
  }
  database.exec('commit')
  for (const { sql } of indexes) database.exec(String(sql))
  onProgress(rows)
}
