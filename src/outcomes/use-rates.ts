/**
 * The share of shown lines of each section that was used within the next forty tool calls, measured on real sessions by
 * `bench/scorer`. Sections that are not here (goal, next action, what was written for the next session, contradictions)
 * are told whatever the scorer learnt.
 */
export const USE_RATES: Readonly<Record<string, number>> = {
  todos: 0.64,
  failing: 0.5,
  edited: 0.57,
  /** Judged, not measured: transcripts hold no git state. */
  uncommitted: 0.4,
  read: 0.29,
  commands: 0.53,
  identifiers: 0.31,
  refs: 0.2,
}
