import type { Kysely } from 'kysely'
import { GENESIS_HASH } from '../../rows/body.ts'
import type { Engine } from '../../rows/sql-engine.ts'
import type { Tables } from '../../rows/schema.ts'
import { runCompiled } from './statements.ts'

/** A position in the log: an event's number and hash. */
export interface LogMark {
  readonly seq: number
  readonly hash: string
}

/**
 * Locks and returns the end of the log. Every change to the log or to a session starts here, so on a database with many writers they
 * queue on this one row: sequence numbers have no gaps, and two changes to a session cannot overwrite each other.
 */
export async function lockHead(db: Kysely<Tables>, engine: Pick<Engine, 'hasRowLocks'>): Promise<LogMark> {
  const [head] = await runCompiled(db, {
    name: 'lock head',
    parameters: [1],
    build: () =>
      db
        .selectFrom('log_head')
        .select(['seq', 'hash'])
        .where('id', '=', 1)
        .$if(engine.hasRowLocks, (select) => select.forUpdate()),
  })
  if (head === undefined) throw new Error('The end of the log is not recorded.')
  return head
}

export async function moveHead(db: Kysely<Tables>, head: LogMark): Promise<void> {
  await runCompiled(db, {
    name: 'move head',
    parameters: [head.seq, head.hash, 1],
    build: () => db.updateTable('log_head').set({ seq: head.seq, hash: head.hash }).where('id', '=', 1),
  })
}

/** The last pruned event; number 0 and no hash when nothing was pruned. */
export async function readAnchor(db: Kysely<Tables>): Promise<LogMark> {
  const row = await db
    .selectFrom('log_head')
    .select(['anchor_seq as seq', 'anchor_hash as hash'])
    .where('id', '=', 1)
    .executeTakeFirst()
  return row ?? { seq: 0, hash: GENESIS_HASH }
}

export async function moveAnchor(db: Kysely<Tables>, anchor: LogMark): Promise<void> {
  await db
    .updateTable('log_head')
    .set({ anchor_seq: anchor.seq, anchor_hash: anchor.hash })
    .where('id', '=', 1)
    .execute()
}
