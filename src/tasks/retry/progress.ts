/** What one session of a run left behind. */
export interface Lap {
  /** Identifies the working tree's content, the task's own records left out. */
  readonly tree: string
  /** The gate and step it ended at. */
  readonly position: string
  /** Absent when the session succeeded. */
  readonly failure?: string
}

export interface ProgressLimits {
  /** Sessions in a row that end well and change nothing. */
  readonly maxIterationsWithoutDiff: number
  /** How often the same failure may come back with the same files. */
  readonly maxRepeatedFailure: number
}

export const DEFAULT_PROGRESS_LIMITS: ProgressLimits = { maxIterationsWithoutDiff: 2, maxRepeatedFailure: 2 }

function isIdle(lap: Lap, before: Pick<Lap, 'tree' | 'position'>): boolean {
  return lap.failure === undefined && lap.tree === before.tree && lap.position === before.position
}

/** Sessions at the end of the run that ended well and changed neither a file nor the gate. Failures have a rule of their own. */
function idleLaps(start: Pick<Lap, 'tree' | 'position'>, laps: readonly Lap[]): number {
  let idle = 0
  for (let n = laps.length - 1; n >= 0; n -= 1) {
    const lap = laps[n]
    if (lap === undefined || !isIdle(lap, laps[n - 1] ?? start)) break
    idle += 1
  }
  return idle
}

/** How often the last failure had been seen before, at the same place with the same files. */
function repeatedFailures(laps: readonly Lap[]): number {
  const last = laps.at(-1)
  if (last?.failure === undefined) return 0
  const isSame = (lap: Lap) => lap.failure === last.failure && lap.tree === last.tree && lap.position === last.position
  return laps.filter(isSame).length - 1
}

/** Why going on would be going round in circles; undefined while there is progress. */
export function stallOf(
  start: Pick<Lap, 'tree' | 'position'>,
  laps: readonly Lap[],
  limits: ProgressLimits,
): 'no-diff' | 'same-failure' | undefined {
  if (repeatedFailures(laps) >= limits.maxRepeatedFailure) return 'same-failure'
  return idleLaps(start, laps) >= limits.maxIterationsWithoutDiff ? 'no-diff' : undefined
}

/** Failures in a row at the place where the last one happened; a session that ended well starts the count again. */
export function failuresAtStep(laps: readonly Lap[]): number {
  const last = laps.at(-1)
  let count = 0
  for (let n = laps.length - 1; n >= 0; n -= 1) {
    const lap = laps[n]
    if (lap?.failure === undefined || lap.position !== last?.position) break
    count += 1
  }
  return count
}
