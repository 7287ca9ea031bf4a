import type { Continuity } from '../../core/continuity.ts'
import { ROUTES } from '../../protocol/route-table.ts'
import { bind } from '../bind.ts'

export function receiptRoutes(continuity: Continuity) {
  return {
    stats: bind(ROUTES.stats, async ({ query }) => ({ stats: await continuity.stats(query) })),
    sessionReceipts: bind(ROUTES.sessionReceipts, async ({ params, query }) => ({
      receipts: await continuity.sessionReceipts(params.sessionKey, query.harness),
    })),
    ledger: bind(ROUTES.ledger, async ({ query }) => ({ ledger: await continuity.ledger(query) })),
  }
}
