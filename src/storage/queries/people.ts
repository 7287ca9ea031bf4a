import type { Kysely } from 'kysely'
import type { KnownMachine, RecordStore, TakenWork, Tombstone } from '../../kernel/ports/record-store.ts'
import { sealBody } from '../rows/body.ts'
import { intactRows, isIntactCheckpoint } from '../rows/row-integrity.ts'
import type { Tables } from '../rows/schema.ts'
import { type Engine, noteDamage } from '../rows/sql-engine.ts'
import { inSlices } from './rows/statements.ts'

function readTombstone(body: string): Tombstone {
  return JSON.parse(body)
}

export async function saveTombstone(db: Kysely<Tables>, tombstone: Tombstone): Promise<void> {
  await db
    .insertInto('tombstones')
    .values({ id: tombstone.id, ...sealBody(tombstone) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await inSlices(tombstone.digests, (slice) =>
    db
      .insertInto('erased_ids')
      .values(slice.map((digest) => ({ digest, tombstone: tombstone.id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}

/** Other homes, and records of erasures. */
export function peopleQueries(
  engine: Engine,
): Pick<
  RecordStore,
  | 'saveTakenWork'
  | 'findTakenWork'
  | 'deleteTakenWork'
  | 'saveMachine'
  | 'listMachines'
  | 'saveTombstone'
  | 'listTombstones'
  | 'findErased'
> {
  return {
    saveTakenWork: ({ worktree, sessionId, seq, at }: TakenWork) =>
      engine.write(async (db) => {
        const taken = { session_id: sessionId, seq, at }
        await db
          .insertInto('taken_work')
          .values({ worktree, ...taken })
          .onConflict((conflict) => conflict.column('worktree').doUpdateSet(taken))
          .execute()
      }),
    findTakenWork: (worktree) =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('taken_work').selectAll().where('worktree', '=', worktree).execute()
        const [row] = intactRows(db, 'taken_work', rows)
        return row && { worktree: row.worktree, sessionId: row.session_id, seq: row.seq, at: row.at }
      }),
    deleteTakenWork: (worktree) =>
      engine.write(async (db) => {
        const deleted = await db
          .deleteFrom('taken_work')
          .where('worktree', '=', worktree)
          .returning('worktree')
          .executeTakeFirst()
        return deleted !== undefined
      }),
    saveMachine: ({ id, name, person, publicKey }: KnownMachine) =>
      engine.write(async (db) => {
        const facts = { name, person: person.id, person_name: person.name, public_key: publicKey ?? null }
        await db
          .insertInto('machines')
          .values({ id, ...facts })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(facts))
          .execute()
      }),
    listMachines: () =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('machines').selectAll().orderBy('id').execute()
        return intactRows(db, 'machines', rows).map((row) => ({
          id: row.id,
          name: row.name,
          person: { id: row.person, name: row.person_name },
          ...(row.public_key !== null && { publicKey: row.public_key }),
        }))
      }),
    saveTombstone: (tombstone) => engine.write((db) => saveTombstone(db, tombstone)),
    listTombstones: () =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('tombstones').selectAll().orderBy('id').execute()
        return rows.flatMap((row) => {
          if (isIntactCheckpoint(row)) return [readTombstone(row.body)]
          noteDamage(db, { table: 'tombstones', key: row.id })
          return []
        })
      }),
    findErased: (digests) =>
      engine.read(async (db) => {
        const rows = await inSlices(digests, (slice) =>
          db.selectFrom('erased_ids').select('digest').where('digest', 'in', slice).execute(),
        )
        return rows.map(({ digest }) => digest)
      }),
  }
}
