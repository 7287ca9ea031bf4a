import type { PullRequestSeen } from '../../kernel/checkpoint.ts'
import { isObject } from '../../kernel/json-shape.ts'
import { judgeSegments } from '../../kernel/shell/command-chain.ts'
import { withoutAnsi } from '../../kernel/text/text.ts'
import { type FinishedRun, hasRun } from './checks.ts'
import { gitPattern } from './git-pattern.ts'

const OPENS = /^(?:gh pr create|glab mr create)(?:\s|$)(?!.*--(?:dry-run|web)\b)/
/** Without a number, a branch or another repository: that of the current branch. */
const VIEWS = /^(?:gh pr view|glab mr view)(?:\s+--json\s+[\w,]+)?$/
const CHECKS_OUT = /^(?:gh pr|glab mr) checkout (\d+)$/
/** On another branch it is not this branch's any more; `git checkout -- file` stays. */
const LEAVES = gitPattern(String.raw`(?:switch|checkout)(?!.*\s--(?:\s|$))\s`)
const OTHERS = /\b(?:gh|glab) (?:api|issue|mr|pr|repo|run)\b/g
const ADDRESS = /https:\/\/[\w.-]+\/[\w./-]+\/(?:pull|merge_requests)\/(\d+)/
const NUMBER = /^number:\s+(\d+)/m

function readNumber(output: string): number | undefined {
  const plain = NUMBER.exec(output)?.[1]
  if (plain !== undefined) return Number(plain)
  try {
    const shown: unknown = JSON.parse(output)
    return isObject(shown) && typeof shown.number === 'number' ? shown.number : undefined
  } catch {
    // Not JSON: without the line of a number it shows none.
    return undefined
  }
}

/** What a command shows of the branch's pull request. */
export function withPullRequest(
  known: PullRequestSeen | undefined,
  run: FinishedRun,
  order: number,
): PullRequestSeen | undefined {
  const command = run.tool.command ?? ''
  if (!run.outcome.ok || !hasRun(run)) return known
  const output = withoutAnsi(run.outcome.output ?? '')
  const segments = judgeSegments(command, true, output).filter(({ status }) => status !== 'failed')
  const isLeft = segments.some(({ text }) => LEAVES.test(text))
  const before = isLeft ? (known?.url === undefined ? undefined : { ...known, isLeft: true as const }) : known
  // Which of several commands printed the output is unknown.
  if ((command.match(OTHERS) ?? []).length !== 1) return before
  for (const { text } of segments) {
    const [url, number] = ADDRESS.exec(output) ?? []
    if (OPENS.test(text) && url !== undefined) return { number: Number(number), url, order }
    const checkedOut = CHECKS_OUT.exec(text)?.[1]
    const seen = checkedOut === undefined ? (VIEWS.test(text) ? readNumber(output) : undefined) : Number(checkedOut)
    if (seen === undefined || (seen === before?.number && before.isLeft !== true)) continue
    return { number: seen, ...(before?.url === undefined ? {} : { url: before.url }), order }
  }
  return before
}
