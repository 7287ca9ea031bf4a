/**
 * The share of shown lines of each section that was used within the next forty tool calls, measured on real sessions by
 * `bench/scorer`. Sections that are not here (goal, next action, what was written for the next session, contradictions)
 * are told whatever the scorer learnt.
 */
export const USE_RATES: Readonly<Record<string, number>> = {
  todos: 0.5,
  failing: 0.5,
  edited: 0.5,
  uncommitted: 0.5,
  read: 0.3,
  commands: 0.5,
  identifiers: 0.3,
  refs: 0.3,
}
