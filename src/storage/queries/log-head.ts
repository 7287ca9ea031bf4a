import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Tables } from '../schema.ts'

export interface LogHead {
  readonly seq: number
  readonly hash: string
}

/**
 * Where the log ends. Every change to the log or to a session begins here, so on a database with many writers they
 * queue on this one row: sequence numbers have no gaps, and two changes to a session cannot overwrite each other.
 */
export async function lockHead(db: Kysely<Tables>, engine: Pick<Engine, 'hasRowLocks'>): Promise<LogHead> {
  return await db
    .selectFrom('log_head')
    .select(['seq', 'hash'])
    .where('id', '=', 1)
    .$if(engine.hasRowLocks, (select) => select.forUpdate())
    .executeTakeFirstOrThrow()
}

export async function moveHead(db: Kysely<Tables>, head: LogHead): Promise<void> {
  await db.updateTable('log_head').set({ seq: head.seq, hash: head.hash }).where('id', '=', 1).execute()
}
