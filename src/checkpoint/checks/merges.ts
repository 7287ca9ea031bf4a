import { gitPattern } from './git-pattern.ts'
import type { OpenMerge } from '../../kernel/checkpoint.ts'
import { judgeSegments } from '../../kernel/shell/command-chain.ts'
import { clip, withoutAnsi } from '../../kernel/text/text.ts'
import { type FinishedRun, hasRun } from './checks.ts'
import { ELSEWHERE } from './commits.ts'

const MAX_CONFLICTS = 20
const MAX_COMMAND_CHARS = 120
const MERGES = gitPattern(String.raw`(?:merge|rebase|pull|cherry-pick|revert|am|stash (?:pop|apply))(?:\s|$)`)
/** They conclude it, or give it up. */
const ENDS = gitPattern(
  String.raw`(?:(?:merge|rebase|cherry-pick|revert|am) .*--(?:abort|quit)|reset (?:.*)--(?:hard|merge))(?:\s|$)`,
)
const CONCLUDES = gitPattern(
  String.raw`(?:commit|(?:merge|rebase|cherry-pick|revert|am) .*--(?:continue|skip))(?:\s|$)`,
)
const CONFLICT = /^CONFLICT \([^)]*\): (?:Merge conflict in (.+)|(\S+) (?:deleted|renamed|added) in )/gm
/** What `git status` says of a worktree without conflicts. */
export const CLEAN = /^nothing to commit, working tree clean$/m

/** A merge, rebase or the like that stopped at conflicts, until it is concluded or given up. */
export function withMerge(known: OpenMerge | undefined, run: FinishedRun, order: number): OpenMerge | undefined {
  const command = run.tool.command ?? ''
  if (!/\bgit\b/.test(command) || !hasRun(run)) return known
  const output = withoutAnsi(run.outcome.output ?? '')
  const segments = judgeSegments(command, run.outcome.ok, output)
  if (segments.some(({ text }) => ELSEWHERE.test(text))) return known
  const conflicts = [...output.matchAll(CONFLICT)].map(([, merged, other]) => (merged ?? other ?? '').trim())
  const merging = segments.findLast(({ text }) => MERGES.test(text))
  if (merging !== undefined && conflicts.length > 0)
    return {
      command: clip(merging.text.replace(/\s*\d?>.*$/s, ''), MAX_COMMAND_CHARS),
      conflicts: [...new Set(conflicts)].slice(0, MAX_CONFLICTS),
      order,
    }
  if (known === undefined) return undefined
  if (segments.some(({ text, status }) => ENDS.test(text) && status !== 'failed')) return undefined
  const isConcluded = segments.some(({ text, status }) => CONCLUDES.test(text) && status === 'passed')
  return isConcluded || CLEAN.test(output) ? undefined : known
}
