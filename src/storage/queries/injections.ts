import { type Kysely, type Selectable, sql } from 'kysely'
import { CheckpointId, type SessionId } from '../../kernel/id.ts'
import type { Injection } from '../../kernel/injection.ts'
import type { Store, RetentionPolicy } from '../../kernel/ports/ports.ts'
import { afterRecovery } from '../../kernel/session.ts'
import { readReceipt, sealBody } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables, ReceiptRow } from '../rows/schema.ts'
import { parseReasons, intactRows, parseStrings, isIntactReceipt } from '../rows/row-integrity.ts'
import { lockHead, readAnchor } from './rows/log-head.ts'
import { useEarlierClock, getCutoff } from './retention.ts'
import { changeSession } from './sessions.ts'
import { inSlices } from './rows/statements.ts'
import type { StartOutcome } from '../../kernel/start-outcome.ts'
import { noteDamage } from '../rows/sql-engine.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'

function toRow(receipt: StartOutcome): Tables['receipts'] {
  return {
    session_id: receipt.sessionId,
    epoch: receipt.epoch,
    project_id: receipt.projectId,
    started_at: receipt.startedAt,
    start_seq: receipt.startSeq,
    ...sealBody(receipt),
  }
}

function toStartOutcomes(db: Kysely<Tables>, rows: readonly ReceiptRow[]): readonly StartOutcome[] {
  return rows.flatMap((row) => {
    if (isIntactReceipt(row)) return [readReceipt(row.body)]
    noteDamage(db, { table: 'receipts', key: `${row.session_id}#${row.epoch}` })
    return []
  })
}

function receiptQueries(engine: Engine): Pick<Store, 'saveStartOutcomes' | 'listStartOutcomes'> {
  return {
    saveStartOutcomes: (receipts) =>
      engine.write(async (db) => {
        for (const receipt of receipts) {
          const { session_id, epoch, ...values } = toRow(receipt)
          await db
            .insertInto('receipts')
            .values({ session_id, epoch, ...values })
            .onConflict((conflict) => conflict.columns(['session_id', 'epoch']).doUpdateSet(values))
            .execute()
        }
      }),
    listStartOutcomes: ({ sessionId, projectId, limit }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('receipts').selectAll()
        if (sessionId !== undefined) select = select.where('session_id', '=', sessionId)
        if (projectId !== undefined) select = select.where('project_id', '=', projectId)
        const rows = await select.orderBy('start_seq', 'desc').limit(limit).execute()
        return toStartOutcomes(db, rows)
      }),
  }
}

async function removeInjections(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  // Rows after one that is young enough are not older, whatever the clock said then.
  const young = await db
    .selectFrom('injections')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('at', '>=', getCutoff(policy))
    .where('at', '<=', policy.now)
    .executeTakeFirstOrThrow()
  const expired = await db
    .selectFrom('injections')
    .select('seq')
    .where('at', '<', getCutoff(policy))
    .where('seq', '<', young.seq ?? Number.MAX_SAFE_INTEGER)
    .orderBy('at')
    .limit(policy.sliceRows)
    .execute()
  await inSlices(expired, (slice) =>
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
  return expired.length
}

async function removeReceipts(db: Kysely<Tables>, policy: RetentionPolicy, room: number): Promise<number> {
  const expired = await db
    .selectFrom('receipts')
    .select(['session_id', 'epoch'])
    .where('started_at', '<', getCutoff(policy))
    .orderBy('started_at')
    .limit(room)
    .execute()
  for (const { session_id, epoch } of expired) {
    await db.deleteFrom('receipts').where('session_id', '=', session_id).where('epoch', '=', epoch).execute()
  }
  return expired.length
}

/**
 * The transcript offset stays: a session that is resumed later must not read its old lines as new.
 * Work without a checkpoint has no events left to make one from, so the state is dropped.
 */
async function emptyWork(db: Kysely<Tables>, room: number): Promise<number> {
  const anchor = await readAnchor(db)
  const done = await db
    .selectFrom('work_snapshots as work')
    .innerJoin('sessions', 'sessions.id', 'work.session_id')
    .select('work.session_id')
    .where('work.event_seq', '<=', anchor.seq)
    // Written out, because only then the partial index is used.
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

/** Prunes one batch of rows that belong to pruned events. Runs inside one transaction. */
async function pruneLedgers(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  const injections = await removeInjections(db, policy)
  const room = policy.sliceRows - injections
  const removed = injections + (room > 0 ? await removeReceipts(db, policy, room) : 0)
  return removed + (removed < policy.sliceRows ? await emptyWork(db, policy.sliceRows - removed) : 0)
}

function toInjection(row: Selectable<Tables['injections']>): Injection {
  return {
    sessionId: row.session_id,
    at: row.at,
    kind: row.kind,
    epoch: row.epoch,
    chars: row.chars,
    textHash: row.text_hash,
    sources: parseStrings(row.sources),
    reasons: parseReasons(row.reasons),
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

/** The sessions whose checkpoints a recovery was made from, in order. Empty when nothing was injected. */
async function findSourceSessions(db: Kysely<Tables>, { chars, sources }: Injection): Promise<readonly SessionId[]> {
  if (chars === 0) return []
  const rows = await inSlices(sources.map(CheckpointId), (slice) =>
    db.selectFrom('session_checkpoints').select(['id', 'session_id']).where('id', 'in', slice).execute(),
  )
  const speakers = new Map<string, SessionId>(rows.map((row) => [row.id, row.session_id]))
  return sources.flatMap((source) => speakers.get(source) ?? [])
}

/** What was injected, and its outcomes. */
export function injectionQueries(
  engine: Engine,
): Pick<
  Store,
  'recordInjection' | 'listInjections' | 'pageInjections' | 'saveStartOutcomes' | 'listStartOutcomes' | 'pruneLedgers'
> {
  const pageInjections: Store['pageInjections'] = ({ sessionId, kind, beforeSeq, limit }) =>
    engine.read(async (db) => {
      let select = db.selectFrom('injections').selectAll()
      if (sessionId !== undefined) select = select.where('session_id', '=', sessionId)
      if (kind !== undefined) select = select.where('kind', '=', kind)
      if (beforeSeq !== undefined) select = select.where('seq', '<', beforeSeq)
      const rows = await select.orderBy('seq', 'desc').limit(limit).execute()
      return intactRows(db, 'injections', rows).map((row) => ({ ...toInjection(row), seq: row.seq }))
    })
  return {
    ...receiptQueries(engine),
    pageInjections,
    recordInjection: (injection) =>
      engine.write(
        async (db) => {
          await lockHead(db, engine)
          await insert(db, injection)
          if (injection.kind !== 'recovery') return
          const speakers = await findSourceSessions(db, injection)
          await changeSession(db, injection.sessionId, (session) => afterRecovery(session, injection.epoch, speakers))
        },
        { isRepeatable: false },
      ),
    listInjections: async (query) =>
      (await pageInjections(query)).map((stored): Injection => {
        const { seq: _seq, ...injection } = stored
        return injection
      }),
    pruneLedgers: (policy) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        return await pruneLedgers(db, await useEarlierClock(db, engine, policy))
      }),
  }
}
