import type { Kysely } from 'kysely'
import type { RetentionPolicy } from '../../../kernel/ports/ports.ts'
import type { Engine } from '../../rows/sql-engine.ts'
import type { Tables } from '../../rows/schema.ts'

const DAY_MS = 86_400_000

/** What is older than this may go. */
export function cutoffOf({ now, retentionDays }: Pick<RetentionPolicy, 'now' | 'retentionDays'>): string {
  return new Date(Date.parse(now) - retentionDays * DAY_MS).toISOString()
}

/**
 * By the earlier of two clocks, where the database is on another machine: of those who share a store, one may have had a wrong
 * clock all its life, and what it deletes is everybody's.
 */
export async function byEarlierClock<Policy extends RetentionPolicy>(
  db: Kysely<Tables>,
  engine: Pick<Engine, 'serverNow'>,
  policy: Policy,
): Promise<Policy> {
  const serverNow = await engine.serverNow(db)
  return serverNow === undefined || serverNow > policy.now ? policy : { ...policy, now: serverNow }
}
