/** The result of one session of a run. */
export interface SessionResult {
  /** Identifies the working tree's content without the task's own records. */
  readonly tree: string
  /** The gate and step it ended at. */
  readonly position: string
  /** Signature; absent if the session succeeded. */
  readonly failure?: string
}

export interface ProgressLimits {
  /** Successful sessions in a row that change nothing. */
  readonly maxIterationsWithoutDiff: number
  /** How often the same failure may repeat with the same files. */
  readonly maxRepeatedFailure: number
}

export const DEFAULT_PROGRESS_LIMITS: ProgressLimits = { maxIterationsWithoutDiff: 2, maxRepeatedFailure: 2 }

function isIdle(result: SessionResult, before: Pick<SessionResult, 'tree' | 'position'>): boolean {
  return result.failure === undefined && result.tree === before.tree && result.position === before.position
}

/** Successful sessions at the end of the run that changed neither a file nor the gate. */
function countIdleSessions(start: Pick<SessionResult, 'tree' | 'position'>, results: readonly SessionResult[]): number {
  let idle = 0
  for (let n = results.length - 1; n >= 0; n -= 1) {
    const result = results[n]
    if (result === undefined || !isIdle(result, results[n - 1] ?? start)) break
    idle += 1
  }
  return idle
}

/** Earlier occurrences of the last failure, at the same step with the same files. */
function countRepeatedFailures(results: readonly SessionResult[]): number {
  const last = results.at(-1)
  if (last?.failure === undefined) return 0
  const isSame = (result: SessionResult) =>
    result.failure === last.failure && result.tree === last.tree && result.position === last.position
  return results.filter(isSame).length - 1
}

/** Why the run is stalled; undefined while there is progress. */
export function findStall(
  start: Pick<SessionResult, 'tree' | 'position'>,
  results: readonly SessionResult[],
  limits: ProgressLimits,
): 'no-diff' | 'same-failure' | undefined {
  if (countRepeatedFailures(results) >= limits.maxRepeatedFailure) return 'same-failure'
  return countIdleSessions(start, results) >= limits.maxIterationsWithoutDiff ? 'no-diff' : undefined
}

/** Consecutive failures at the step of the last one; a success resets the count. */
export function countFailuresAtStep(results: readonly SessionResult[]): number {
  const last = results.at(-1)
  let count = 0
  for (let n = results.length - 1; n >= 0; n -= 1) {
    const result = results[n]
    if (result?.failure === undefined || result.position !== last?.position) break
    count += 1
  }
  return count
}
