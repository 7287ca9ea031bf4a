import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../../kernel/json-shape.ts'
import { openDatabase, type SqliteDatabase } from '../../storage/sqlite/connection/driver.ts'
import { type PositionedRecord, RECORD_STEP } from '../contract/transcript-format.ts'
import { parseLine } from '../transcript/append-log.ts'

const MESSAGES_PER_READ = 50

/** A database that no process has open is opened as immutable: otherwise SQLite would leave two files beside it. */
function toLocation(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return url
}

function withDatabase<T>(path: string, read: (database: SqliteDatabase) => T): T {
  const database = openDatabase(toLocation(path), { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

/** Sessions of OpenCode (1.18); those of its subagents belong to the ones that started them. */
export function listSessions(path: string): readonly { readonly sessionId: string; readonly modifiedMs: number }[] {
  const rows = withDatabase(path, (database) =>
    database.prepare('select id, time_updated from session where parent_id is null order by time_updated').all(),
  )
  return rows.map(({ id, time_updated }) => ({ sessionId: String(id), modifiedMs: Number(time_updated) }))
}

function parseObject(text: unknown): JsonObject {
  return parseLine(String(text)) ?? {}
}

/** The session, then its messages with their parts, as in the output of `opencode export`. */
export async function* readRecords(path: string, sessionId: string): AsyncGenerator<readonly PositionedRecord[]> {
  const session = withDatabase(path, (database) =>
    database.prepare('select id, directory, version, time_created from session where id = ?').get(sessionId),
  )
  if (session === undefined) return
  const { id, directory, version, time_created: created } = session
  yield [{ record: { session: { id, directory, version, time: { created } } }, end: RECORD_STEP }]
  for (let done = 0; ; ) {
    const records = withDatabase(path, (database) => {
      const parts = database.prepare('select id, data from part where message_id = ? order by id')
      const messages = database
        .prepare('select id, data from message where session_id = ? order by time_created, id limit ? offset ?')
        .all(sessionId, MESSAGES_PER_READ, done)
      return messages.map((message) => ({
        info: { ...parseObject(message.data), id: message.id },
        parts: parts.all(String(message.id)).map((part) => ({ ...parseObject(part.data), id: part.id })),
      }))
    })
    if (records.length === 0) return
    const before = done
    done += records.length
    yield records.map((record, index) => ({ record, end: RECORD_STEP * (before + index + 2) }))
  }
}
