import type { CheckedSummary } from '../../kernel/agent-records.ts'

/** What disk, git and observed runs say against a summary, one line each. */
export function doubts(summary: Pick<CheckedSummary, 'doubts'>): readonly string[] {
  return summary.doubts.map(({ claim, because }) => `"${claim}": ${because}`)
}
