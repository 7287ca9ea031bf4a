import { shortKey } from '../../kernel/id.ts'
import type { RecoveryOrigin } from '../merge/merge-checkpoints.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { sanitize } from '../../kernel/text/sanitize.ts'

function whereOf({ branch, head }: RecoveryOrigin): string {
  if (branch === undefined && head === undefined) return ''
  const commit = head === undefined ? '' : `@${head.slice(0, 9)}`
  return ` on ${branch ?? 'detached'}${commit}`
}

function movedTo({ head: verdict, git }: CheckedView): string {
  if (verdict !== 'changed' || git === undefined) return verdict === 'holds' ? ' ✓' : ''
  return ` ~ now ${git.branch ?? 'detached'}@${git.head?.slice(0, 9) ?? 'none'}`
}

function whoOf({ harness, sessionKey, handedOverBy }: RecoveryOrigin): string {
  return handedOverBy === undefined
    ? `${harness} session ${shortKey(sessionKey)}`
    : `${harness} session on another machine (handed over, signed by key ${handedOverBy.slice(0, 16)})`
}

function beforeMoving({ movedFrom }: RecoveryOrigin): string {
  return movedFrom === undefined ? '' : ` in ${sanitize(movedFrom)}, moved here since,`
}

const ROOM_FOR_LEGEND = 600

/** Who says so, when, and how to read the marks. Absolute times: the same state must give the same bytes. */
export function originLine(checked: CheckedView, budgetChars: number): string {
  const { origin } = checked.view
  if (origin === undefined) return ''
  const at = `${origin.createdAt.slice(0, 16)}Z`
  const who = whoOf(origin)
  if (budgetChars < ROOM_FOR_LEGEND) return `${who}, ${at}.`
  const named = origin.name === undefined ? '' : `checkpoint "${origin.name}" `
  const legend = checked.isChecked ? '✓ holds, ~ changed, ✗ gone, ? cannot tell' : 'unchecked'
  return `${who}${beforeMoving(origin)}${whereOf(origin)}${movedTo(checked)}, ${named}${at}; ${legend}.`
}
