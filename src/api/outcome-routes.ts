import { LedgerQuery, LedgerReply, ReceiptsReply, StatsQuery, StatsReply } from '../wire/start-outcome.ts'
import type { Route } from './route-table.ts'
import { SessionParams, SessionQuery } from '../wire/session.ts'

/** What followed the starts of sessions, and what was put before agents. */
export const RECEIPT_ROUTES = {
  stats: {
    method: 'GET',
    path: '/api/stats',
    scope: 'read',
    summary: 'Receipts of starts, warm ones against cold ones of the same project, and what the scorer learnt of them.',
    query: StatsQuery,
    reply: StatsReply,
  },
  sessionReceipts: {
    method: 'GET',
    path: '/api/receipts/:sessionKey',
    scope: 'read',
    summary: 'What followed each start of a session, the latest first.',
    params: SessionParams,
    query: SessionQuery,
    reply: ReceiptsReply,
  },
  ledger: {
    method: 'GET',
    path: '/api/ledger',
    scope: 'read',
    summary: 'What was put before agents: when, why, at what cost, and whether it was used.',
    query: LedgerQuery,
    reply: LedgerReply,
  },
} as const satisfies Readonly<Record<string, Route>>
