import type { Kysely } from 'kysely'
import type { Log } from '../../kernel/ports/ports.ts'
import type { Tables } from './schema.ts'

/** A row that is not what was written, by what it is found by. */
export interface DamagedRow {
  readonly table: keyof Tables
  readonly key: string
}

type Note = (row: DamagedRow) => void

/** A disk that damages more than this is told of often enough. */
const MAX_NAMED = 200

const notes = new WeakMap<Kysely<Tables>, Note>()

/** Each damaged row is one line of the log, however often it is met. */
export function createDamageNotes(log: Log | undefined): Note {
  const named = new Set<string>()
  return ({ table, key }) => {
    const name = `${table} ${key}`
    if (named.has(name) || named.size >= MAX_NAMED) return
    named.add(name)
    log?.error('A row of the database is not what was written, and is passed over.', { table, key })
  }
}

/** Queries know only the database or transaction that they run in; what they meet is told to whoever listens on that. */
export function listenForDamage(db: Kysely<Tables>, note: Note): Kysely<Tables> {
  notes.set(db, note)
  return db
}

export function noteDamage(db: Kysely<Tables>, row: DamagedRow): void {
  notes.get(db)?.(row)
}
