import type { DigestConfig } from '../kernel/config.ts'
import type { SessionId } from '../kernel/id.ts'

/** One run of `digest.command` by the daemon. */
export interface DigestRun {
  readonly at: string
  readonly sessionId: SessionId
  readonly ms: number
  /** Characters of the handoff; absent if it failed. */
  readonly chars?: number
  /** Why it failed. */
  readonly error?: string
}

const HOUR_MS = 3_600_000
const FAILURES_BEFORE_PAUSE = 3

/** Why no run may start now; undefined if one may. `runs` are oldest first, failed ones count as well. */
export function findRunLimit(
  runs: readonly DigestRun[],
  { maxRunsPerHour, maxRunsPerSession }: Pick<DigestConfig, 'maxRunsPerHour' | 'maxRunsPerSession'>,
  { now, sessionId }: { readonly now: string; readonly sessionId: SessionId },
): string | undefined {
  const since = Date.parse(now) - HOUR_MS
  const recent = runs.filter(({ at }) => Date.parse(at) > since)
  if (recent.length >= maxRunsPerHour) return `digest.maxRunsPerHour is ${maxRunsPerHour}`
  if (runs.filter((run) => run.sessionId === sessionId).length >= maxRunsPerSession)
    return `digest.maxRunsPerSession is ${maxRunsPerSession}`
  const last = recent.slice(-FAILURES_BEFORE_PAUSE)
  if (last.length === FAILURES_BEFORE_PAUSE && last.every(({ error }) => error !== undefined))
    return `the last ${FAILURES_BEFORE_PAUSE} runs failed within an hour`
  return undefined
}
