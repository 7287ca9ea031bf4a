import type { RetentionPolicy } from '../../core/ports.ts'

const DAY_MS = 86_400_000

/** What is older than this may go. */
export function cutoffOf({ now, retentionDays }: Pick<RetentionPolicy, 'now' | 'retentionDays'>): string {
  return new Date(Date.parse(now) - retentionDays * DAY_MS).toISOString()
}
