import type { Continuity } from '../../app/continuity.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'

export function receiptRoutes(continuity: Continuity) {
  return {
    stats: bind(ROUTES.stats, async ({ query }) => ({ stats: await continuity.stats(query) })),
    sessionReceipts: bind(ROUTES.sessionReceipts, async ({ params, query }) => ({
      receipts: await continuity.sessionReceipts(params.sessionKey, query.harness),
    })),
    ledger: bind(ROUTES.ledger, async ({ query }) => ({ ledger: await continuity.ledger(query) })),
  }
}
