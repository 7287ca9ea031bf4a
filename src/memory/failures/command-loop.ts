// The loop breaker for commands; a loop is reported in before-tool.ts. Loops of compactions: compaction-loop.ts.
import type { Attempt, AttemptState } from './attempts.ts'

/** A command that keeps failing the same way in one session. */
export interface Loop {
  readonly key: string
  readonly attempt: Attempt
}

export interface LoopLimits {
  /** Identical failures in a row without an edit in between. */
  readonly repeats: number
}

/** With edits in between, more failures are needed to count as a loop. */
const MORE_WITH_EDITS = 3

function isLoop({ alike, repeated }: Attempt, { repeats }: LoopLimits): boolean {
  return repeated >= repeats || alike >= repeats + MORE_WITH_EDITS
}

export function detectLoops({ attempts }: AttemptState, limits: LoopLimits): readonly Loop[] {
  return attempts.flatMap((attempt) => (isLoop(attempt, limits) ? [{ key: attempt.key, attempt }] : []))
}
