import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../../../kernel/json-shape.ts'
import { openDatabase, type SqliteDatabase } from '../../../storage/sqlite/connection/driver.ts'
import { parseLine } from '../../../harness/transcript/append-log.ts'
import { RECORD_STEP, type TranscriptSource } from './source.ts'

const MESSAGES_PER_READ = 50

/** A database that nobody has open is read as it lies there: opened in the usual way, it would be left with two files beside it. */
function locationOf(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return url
}

/** Read-only, and never for long: OpenCode may be running. */
function reading<T>(path: string, read: (database: SqliteDatabase) => T): T {
  const database = openDatabase(locationOf(path), { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

/** Sessions of OpenCode (1.18); those of its subagents belong to the ones that started them. */
export function databaseSources(path: string): readonly TranscriptSource[] {
  const rows = reading(path, (database) =>
    database.prepare('select id, time_updated from session where parent_id is null order by time_updated').all(),
  )
  return rows.map(({ id, time_updated }) => ({
    harness: 'opencode',
    path,
    size: 0,
    modifiedMs: Number(time_updated),
    sessionId: String(id),
  }))
}

function objectIn(text: unknown): JsonObject {
  return parseLine(String(text)) ?? {}
}

/** The session, then its messages with their parts, as `opencode export` has them. */
export async function* databaseRecords(path: string, sessionId: string) {
  const session = reading(path, (database) =>
    database.prepare('select id, directory, version, time_created from session where id = ?').get(sessionId),
  )
  if (session === undefined) return
  const { id, directory, version, time_created: created } = session
  yield [{ record: { session: { id, directory, version, time: { created } } }, end: RECORD_STEP }]
  for (let done = 0; ; ) {
    const records = reading(path, (database) => {
      const parts = database.prepare('select id, data from part where message_id = ? order by id')
      const messages = database
        .prepare('select id, data from message where session_id = ? order by time_created, id limit ? offset ?')
        .all(sessionId, MESSAGES_PER_READ, done)
      return messages.map((message) => ({
        info: { ...objectIn(message.data), id: message.id },
        parts: parts.all(String(message.id)).map((part) => ({ ...objectIn(part.data), id: part.id })),
      }))
    })
    if (records.length === 0) return
    const before = done
    done += records.length
    yield records.map((record, index) => ({ record, end: RECORD_STEP * (before + index + 2) }))
  }
}
