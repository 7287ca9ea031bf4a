import { leadingSentences } from '../../kernel/text/text.ts'
import { withVerdict } from './candidates.ts'
import type { Item } from './item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

const MARK = /[\s*#>-]*(?:\*\*)?(?:design )?(?:decision|decided)(?:\*\*)?\s*:(?:\*\*)?\s*$/i

/** The agent's words without the decisions that are rendered elsewhere. */
function withoutDecisions(text: string, decisions: readonly string[]): string {
  return decisions.reduce((left, decision) => {
    const at = left.indexOf(decision)
    const before = left.slice(0, Math.max(0, at))
    return at < 0 || !MARK.test(before)
      ? left
      : `${before.replace(MARK, '')} ${left.slice(at + decision.length)}`.trim()
  }, text)
}

/** `| Last said: ` and its quotes. */
const WORDS_LABEL_CHARS = 20
const MIN_WORDS_CHARS = 60
/** Between two of them: `; `, and the quotes of the second. */
const SEPARATOR_CHARS = 4

/** With less room only a short sentence is rendered. */
export const LEAST_WORDS_CHARS = WORDS_LABEL_CHARS + MIN_WORDS_CHARS

/** Characters that only these words take. */
export function wordsCost(item: Item | undefined): number {
  return item === undefined ? 0 : item.text.length + WORDS_LABEL_CHARS + SEPARATOR_CHARS
}

interface LastWordsContext {
  readonly room: number
  readonly isHeld: (item: Item) => boolean
  /** Decisions that are rendered in another line. */
  readonly decided: readonly string[]
}

/** The agent's last statements, newest first, as far as there is room. */
export function lastWords(checked: CheckedView, { room, isHeld, decided }: LastWordsContext): readonly Item[] {
  const items: Item[] = []
  let left = Math.min(room - WORDS_LABEL_CHARS, WEIGHTS.room.lastWordsChars)
  for (const { text: said } of checked.view.work.statements.toReversed()) {
    const text = withoutDecisions(said, decided)
    if (!/\p{L}/u.test(text)) continue
    const before = items.length === 0 ? '' : 'before that '
    const words = leadingSentences(text, left - before.length - SEPARATOR_CHARS)
    // A short sentence is worth rendering; the beginning of a long one is not.
    if (words === '' || (left < MIN_WORDS_CHARS && words.endsWith('…'))) break
    const item: Item = {
      section: 'words',
      subject: { kind: 'statement', text: words },
      text: `${before}"${words}"`,
      value: WEIGHTS.section.words,
      origin: 'statements',
      reason: before === '' ? 'the last thing said' : 'said shortly before the end',
    }
    if (isHeld(item)) continue
    items.push(withVerdict(item, checked))
    left -= item.text.length + SEPARATOR_CHARS
  }
  return items
}
