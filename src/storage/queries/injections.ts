import { type Kysely, type Selectable, sql } from 'kysely'
import { CheckpointId, type SessionId } from '../../kernel/id.ts'
import type { Injection } from '../../kernel/injection.ts'
import type { Store, RetentionPolicy } from '../../kernel/ports/ports.ts'
import { afterRecovery } from '../../kernel/session.ts'
import { canonicalJson, readReceipt, sha256 } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables, ReceiptRow } from '../rows/schema.ts'
import { reasonsOf, soundRows, stringsOf, isSoundReceipt } from '../rows/row-integrity.ts'
import { lockHead, readAnchor } from './rows/log-head.ts'
import { byEarlierClock, cutoffOf } from './rows/retention.ts'
import { changeSession } from './sessions.ts'
import { inSlices } from './rows/slices.ts'
import type { Receipt } from '../../kernel/start-outcome.ts'
import { noteDamage } from '../rows/damage-notes.ts'

function rowOf(receipt: Receipt): Tables['receipts'] {
  const body = canonicalJson(receipt)
  return {
    session_id: receipt.sessionId,
    epoch: receipt.epoch,
    project_id: receipt.projectId,
    started_at: receipt.startedAt,
    start_seq: receipt.startSeq,
    hash: sha256(body),
    body,
  }
}

function receiptsOf(db: Kysely<Tables>, rows: readonly ReceiptRow[]): readonly Receipt[] {
  return rows.flatMap((row) => {
    if (isSoundReceipt(row)) return [readReceipt(row.body)]
    noteDamage(db, { table: 'receipts', key: `${row.session_id}#${row.epoch}` })
    return []
  })
}

function receiptQueries(engine: Engine): Pick<Store, 'keepReceipts' | 'listReceipts'> {
  return {
    keepReceipts: (receipts) =>
      engine.write(async (db) => {
        for (const receipt of receipts) {
          const { session_id, epoch, ...values } = rowOf(receipt)
          await db
            .insertInto('receipts')
            .values({ session_id, epoch, ...values })
            .onConflict((conflict) => conflict.columns(['session_id', 'epoch']).doUpdateSet(values))
            .execute()
        }
      }),
    listReceipts: ({ sessionId, projectId, limit }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('receipts').selectAll()
        if (sessionId !== undefined) select = select.where('session_id', '=', sessionId)
        if (projectId !== undefined) select = select.where('project_id', '=', projectId)
        const rows = await select.orderBy('start_seq', 'desc').limit(limit).execute()
        return receiptsOf(db, rows)
      }),
  }
}

async function removeInjections(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  // What came after one that is within its days is no older, whatever the clock said then.
  const young = await db
    .selectFrom('injections')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('at', '>=', cutoffOf(policy))
    .where('at', '<=', policy.now)
    .executeTakeFirstOrThrow()
  const doomed = await db
    .selectFrom('injections')
    .select('seq')
    .where('at', '<', cutoffOf(policy))
    .where('seq', '<', young.seq ?? Number.MAX_SAFE_INTEGER)
    .orderBy('at')
    .limit(policy.sliceRows)
    .execute()
  await inSlices(doomed, (slice) =>
    db
      .deleteFrom('injections')
      .where(
        'seq',
        'in',
        slice.map(({ seq }) => seq),
      )
      .returning('seq')
      .execute(),
  )
  return doomed.length
}

async function removeReceipts(db: Kysely<Tables>, policy: RetentionPolicy, room: number): Promise<number> {
  const doomed = await db
    .selectFrom('receipts')
    .select(['session_id', 'epoch'])
    .where('started_at', '<', cutoffOf(policy))
    .orderBy('started_at')
    .limit(room)
    .execute()
  for (const { session_id, epoch } of doomed) {
    await db.deleteFrom('receipts').where('session_id', '=', session_id).where('epoch', '=', epoch).execute()
  }
  return doomed.length
}

/**
 * Where the transcript was read to stays: a session that is resumed after all must not have its old lines taken for new.
 * What never became a checkpoint has no events left to become one from, so nothing is owed for it any more.
 */
async function emptyWork(db: Kysely<Tables>, room: number): Promise<number> {
  const anchor = await readAnchor(db)
  const done = await db
    .selectFrom('work_snapshots as work')
    .innerJoin('sessions', 'sessions.id', 'work.session_id')
    .select('work.session_id')
    .where('work.event_seq', '<=', anchor.seq)
    // In so many words, because only then is the index of those with a state used.
    .where(sql<boolean>`work.state <> ''`)
    .where('sessions.last_event_seq', '<=', anchor.seq)
    .where('sessions.phase', 'in', ['ended', 'interrupted'])
    .limit(room)
    .execute()
  for (const { session_id } of done) {
    await db.updateTable('work_snapshots').set({ state: '' }).where('session_id', '=', session_id).execute()
    await changeSession(db, session_id, (session) => ({ ...session, hasNewWork: false }))
  }
  return done.length
}

/** One slice of what goes with the events. Runs inside one transaction. */
async function pruneLedgers(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  const injections = await removeInjections(db, policy)
  const room = policy.sliceRows - injections
  const removed = injections + (room > 0 ? await removeReceipts(db, policy, room) : 0)
  return removed + (removed < policy.sliceRows ? await emptyWork(db, policy.sliceRows - removed) : 0)
}

function injectionOf(row: Selectable<Tables['injections']>): Injection {
  return {
    sessionId: row.session_id,
    at: row.at,
    kind: row.kind,
    epoch: row.epoch,
    chars: row.chars,
    textHash: row.text_hash,
    sources: stringsOf(row.sources),
    reasons: reasonsOf(row.reasons),
  }
}

async function insert(db: Kysely<Tables>, injection: Injection): Promise<void> {
  await db
    .insertInto('injections')
    .values({
      session_id: injection.sessionId,
      at: injection.at,
      kind: injection.kind,
      epoch: injection.epoch,
      chars: injection.chars,
      text_hash: injection.textHash,
      sources: canonicalJson(injection.sources),
      reasons: canonicalJson(injection.reasons),
    })
    .execute()
}

/** Whose checkpoints a recovery was made from, in its order. Nobody's where nothing was said. */
async function speakersOf(db: Kysely<Tables>, { chars, sources }: Injection): Promise<readonly SessionId[]> {
  if (chars === 0) return []
  const rows = await inSlices(sources.map(CheckpointId), (slice) =>
    db.selectFrom('session_checkpoints').select(['id', 'session_id']).where('id', 'in', slice).execute(),
  )
  const speakers = new Map<string, SessionId>(rows.map((row) => [row.id, row.session_id]))
  return sources.flatMap((source) => speakers.get(source) ?? [])
}

/** What was told, and what came of it. */
export function injectionQueries(
  engine: Engine,
): Pick<Store, 'recordInjection' | 'listInjections' | 'keepReceipts' | 'listReceipts' | 'pruneLedgers'> {
  return {
    ...receiptQueries(engine),
    recordInjection: (injection) =>
      engine.write(
        async (db) => {
          await lockHead(db, engine)
          await insert(db, injection)
          if (injection.kind !== 'recovery') return
          const speakers = await speakersOf(db, injection)
          await changeSession(db, injection.sessionId, (session) => afterRecovery(session, injection.epoch, speakers))
        },
        { isRepeatable: false },
      ),
    listInjections: ({ sessionId, kind, limit }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('injections').selectAll()
        if (sessionId !== undefined) select = select.where('session_id', '=', sessionId)
        if (kind !== undefined) select = select.where('kind', '=', kind)
        const rows = await select.orderBy('seq', 'desc').limit(limit).execute()
        return soundRows(db, 'injections', rows).map(injectionOf)
      }),
    pruneLedgers: (policy) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        return await pruneLedgers(db, await byEarlierClock(db, engine, policy))
      }),
  }
}
