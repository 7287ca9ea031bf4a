const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

/**
 * Asked again and again for a daemon, starts one less and less often: one that cannot come up, for want of a configuration that can be
 * read say, must not keep the machine busy for as long as somebody waits for it.
 */
export function createPatientStart(start: () => boolean, nowMs: () => number): () => void {
  let waitMs = FIRST_WAIT_MS
  let notBeforeMs = Number.NEGATIVE_INFINITY
  return () => {
    if (nowMs() < notBeforeMs || !start()) return
    notBeforeMs = nowMs() + waitMs
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
  }
}
