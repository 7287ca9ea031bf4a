import type { Kysely } from 'kysely'
import type { Store } from '../../kernel/ports.ts'
import type { Receipt } from '../../kernel/start-outcome.ts'
import { canonicalJson, readReceipt, sha256 } from '../rows/body.ts'
import { noteDamage } from '../rows/damage-notes.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { ReceiptRow, Tables } from '../rows/schema.ts'
import { isSoundReceipt } from '../rows/row-integrity.ts'

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

export function receiptQueries(engine: Engine): Pick<Store, 'keepReceipts' | 'listReceipts'> {
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
