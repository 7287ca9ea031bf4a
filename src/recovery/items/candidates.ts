import { claimsIn } from '../../checkpoint/work/claims.ts'
import { contradictionItems } from './contradictions.ts'
import type { Item } from './item.ts'
import { commandItems, errorItems, failingItems, identifierItems } from './rank-activity.ts'
import { fileItems } from './rank-files.ts'
import { saidItems } from './rank-requests.ts'
import { uncommittedItems } from './rank-uncommitted.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { verdictOnText } from '../revalidate/check-named.ts'
import { isList } from './section-line.ts'

export interface CandidateOptions {
  /** What long texts are cut to, as shares of it. */
  readonly budgetChars: number
  /** Takes secrets out; the very same string when there were none. */
  readonly redact?: (text: string) => string
  /** What was learnt of the use of such items: their value is multiplied by it. Absent: 1. */
  readonly adjust?: (item: Item) => number
}

/** Says that tests pass, from before the code was changed again. */
function isOutdatedClaim(text: string, { tests }: CheckedView): boolean {
  return tests === 'changed' && claimsIn(text.replace(/^before that /, ''), 0).some(({ topic }) => topic === 'tests')
}

/** Sentences are checked by the things they name; what nothing can be said about stays without a mark. */
export function withVerdict(item: Item, checked: CheckedView): Item {
  if (item.verdict !== undefined || item.section === 'contradicted' || isList(item.section)) return item
  const verdict = verdictOnText(item.text, checked.named, checked.view.origin?.worktree)
  if (verdict !== 'gone' && item.section === 'words' && isOutdatedClaim(item.text, checked))
    return { ...item, verdict: 'changed' }
  return verdict === undefined ? item : { ...item, verdict }
}

/** Everything that could be said, and what saying it is worth. */
export function candidates(checked: CheckedView, { budgetChars, redact, adjust }: CandidateOptions): readonly Item[] {
  const known = [
    ...contradictionItems(checked),
    ...saidItems(checked, budgetChars),
    ...fileItems(checked),
    ...uncommittedItems(checked),
    ...commandItems(checked),
    ...identifierItems(checked),
    ...failingItems(checked),
    ...errorItems(checked),
  ].map((item) => withVerdict(item, checked))
  const items = adjust === undefined ? known : known.map((item) => ({ ...item, value: item.value * adjust(item) }))
  if (redact === undefined) return items
  // Looking at all of them together first is far cheaper, and there is nearly always nothing to take out.
  const together = items.map((item) => item.text).join('\n')
  return redact(together) === together ? items : items.map((item) => ({ ...item, text: redact(item.text) }))
}
