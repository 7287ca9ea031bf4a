import type { Kysely, Selectable } from 'kysely'
import { CheckpointId, type SessionId } from '../../kernel/id.ts'
import type { Injection } from '../../kernel/injection.ts'
import type { Store } from '../../kernel/ports.ts'
import { afterRecovery } from '../../kernel/session.ts'
import { canonicalJson } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables } from '../rows/schema.ts'
import { reasonsOf, soundRows, stringsOf } from '../rows/row-integrity.ts'
import { lockHead } from './rows/log-head.ts'
import { pruneLedgers } from './prune-ledgers.ts'
import { byEarlierClock } from './rows/retention.ts'
import { receiptQueries } from './receipts.ts'
import { changeSession } from './sessions.ts'
import { inSlices } from './rows/slices.ts'

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
