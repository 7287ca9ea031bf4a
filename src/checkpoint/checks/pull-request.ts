import type { PullRequestSeen } from '../../kernel/checkpoint.ts'
import { judgeSegments } from '../../kernel/shell/command-chain.ts'
import { withoutAnsi } from '../../kernel/text/text.ts'
import { type FinishedRun, hasRun } from './checks.ts'

const OPENS = /^(?:gh pr create|glab mr create)(?:\s|$)(?!.*--(?:dry-run|web)\b)/
/** Without a number: that of the current branch. */
const VIEWS = /^(?:gh pr (?:view|status)|glab mr view)(?:\s+-|\s*$)/
const CHECKS_OUT = /^(?:gh pr|glab mr) checkout (?:\S*\/)?(\d+)\b/
const ADDRESS = /https:\/\/[\w.-]+\/[\w./-]+\/(?:pull|merge_requests)\/(\d+)/
const NUMBER = /"number":\s*(\d+)|^number:\s+(\d+)/m

/** What a command shows of the branch's pull request. */
export function withPullRequest(
  known: PullRequestSeen | undefined,
  run: FinishedRun,
  order: number,
): PullRequestSeen | undefined {
  const command = run.tool.command ?? ''
  if (!/\b(?:gh pr|glab mr)\b/.test(command) || !hasRun(run)) return known
  const output = withoutAnsi(run.outcome.output ?? '')
  for (const { text, status } of judgeSegments(command, run.outcome.ok, output)) {
    if (status === 'failed') continue
    const [url, number] = ADDRESS.exec(output) ?? []
    if (OPENS.test(text) && url !== undefined && run.outcome.ok) return { number: Number(number), url, order }
    const [, json, plain] = VIEWS.test(text) ? (NUMBER.exec(output) ?? [undefined, number, undefined]) : []
    const seen = CHECKS_OUT.exec(text)?.[1] ?? json ?? plain
    if (seen !== undefined && run.outcome.ok && Number(seen) !== known?.number) return { number: Number(seen), order }
  }
  return known
}
