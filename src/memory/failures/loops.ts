import type { Attempt, AttemptState } from './attempts.ts'

/** A session that does the same again and gets the same. */
export interface Loop {
  readonly key: string
  readonly attempt: Attempt
}

export interface LoopLimits {
  /** The same line failing the same way in a row with nothing edited in between. */
  readonly repeats: number
}

/** Edits in between are attempts at something else: more of them have to fail before it counts as going round. */
const MORE_WITH_EDITS = 3

function goesRound({ alike, repeated }: Attempt, { repeats }: LoopLimits): boolean {
  return repeated >= repeats || alike >= repeats + MORE_WITH_EDITS
}

export function loopsOf({ attempts }: AttemptState, limits: LoopLimits): readonly Loop[] {
  return attempts.flatMap((attempt) => (goesRound(attempt, limits) ? [{ key: attempt.key, attempt }] : []))
}
