import type { CheckpointTrigger, PullRequestSeen } from '../kernel/checkpoint.ts'
import { shortKey } from '../kernel/id.ts'
import { sanitize } from '../kernel/text/fence.ts'
import { formatAge, pluralize } from '../kernel/text/text.ts'
import { renderMachine } from './choice/elsewhere.ts'
import type { WorkChoice } from './choice/work-choice.ts'
import type { RecoveryOrigin } from './merge/merge-checkpoints.ts'
import type { CheckedView } from './revalidate/revalidate.ts'

/** How the session stopped, as far as its last checkpoint shows it. */
const STOPPED: Partial<Record<CheckpointTrigger, string>> = {
  pre_compaction: 'compacted',
  session_end: 'ended',
  interrupted: 'stopped',
  explicit: 'saved',
  agent: 'saved',
}

function renderSession({ harness, sessionKey, handedOverBy }: RecoveryOrigin): string {
  return handedOverBy === undefined
    ? `${harness} session ${shortKey(sessionKey)}`
    : `${harness} session on another machine (handed over, signed by key ${handedOverBy.slice(0, 16)})`
}

/** A pull request that was seen here belongs to another branch. */
const COMMON_BRANCH = /^(?:main|master|trunk|develop)$/

function renderBranch({ branch, head }: RecoveryOrigin, pullRequest: PullRequestSeen | undefined): string {
  if (branch === undefined && head === undefined) return ''
  const request =
    pullRequest === undefined || pullRequest.isLeft === true || COMMON_BRANCH.test(branch ?? '')
      ? ''
      : ` (PR #${pullRequest.number})`
  return ` on ${branch ?? 'detached'}${head === undefined ? '' : `@${head.slice(0, 9)}`}${request}`
}

/** Where the checkout is now, if it is somewhere else. */
function renderMove({ head: verdict, git }: CheckedView): string {
  if (verdict !== 'changed' || git === undefined) return ''
  return ` (now ${git.branch ?? 'detached'}@${git.head?.slice(0, 9) ?? 'none'})`
}

/** Where the work was, and what the repository went through since. */
function renderSince(choice: WorkChoice | undefined): string {
  if (choice === undefined) return ''
  const { otherFolder, changedSince } = choice
  const { commits = 0 } = changedSince
  const folder = otherFolder === undefined ? '' : `, in ${otherFolder === '' ? 'the top folder' : otherFolder}`
  return `${folder}${commits === 0 ? '' : `, ${pluralize(commits, 'commit')} since`}`
}

const ROOM_FOR_DETAIL = 600

/** Where the record comes from, when and how the session stopped; older work begins with its age. */
export function renderHeader(checked: CheckedView, budgetChars: number): string {
  const { origin, choice } = checked.view
  if (origin === undefined) return ''
  const at = `${origin.trueAt.slice(0, 16)}Z`
  const who = renderSession(origin)
  if (budgetChars < ROOM_FOR_DETAIL) return `${who}, ${at}.`
  const ago = choice === undefined ? '' : formatAge(choice.stoppedAt, choice.now)
  const age = choice === undefined || choice.isUnderWay ? '' : `Last worked on ${ago}: `
  const moved = origin.movedFrom === undefined ? '' : ` in ${sanitize(origin.movedFrom)}, moved here since,`
  const named = origin.name === undefined ? '' : `checkpoint "${origin.name}" `
  const stopped = `${STOPPED[origin.trigger] ?? 'last seen'} ${at}${age === '' && ago !== '' ? ` (${ago})` : ''}`
  return `${age}${who}${renderMachine(choice?.elsewhere)}${moved}${renderBranch(origin, checked.view.work.pullRequest)}${renderMove(checked)}, ${named}${stopped}${renderSince(choice)}.`
}
