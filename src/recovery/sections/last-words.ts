import type { Draft } from '../items/draft.ts'
import { chooseParagraphs, measure, toItem } from '../items/fill.ts'
import { CUES, isLooking, isNarration } from '../passages/cues.ts'
import type { Passage, SplitTalk } from '../passages/passage.ts'
import { ROOMS } from '../passages/scoring.ts'
import type { SectionKey } from '../items/section-order.ts'
import { addStatedNext } from './stated-next.ts'
import { type Talk, withoutOffers } from '../dialogue/talk.ts'

/** The end of a long message asks, offers or concludes. */
const ENDING = 1.3
const ENDING_SENTENCES = 2
const CLOSING_SHARE = 0.8
const MAX_BACK = 6
const WHOLE = 1.3
const LEAST_ROOM = 60

const MAX_CLOSING = 8
const NUMBERED = /^\d{1,2}[.)] /

/** A question at the end with the options it offers stays whole. */
function findClosing(passages: readonly Passage[], room: number): readonly Passage[] {
  const asks = ({ text, heading }: Passage) => CUES.question.test(text) || CUES.question.test(heading)
  const from = passages.findIndex((passage, index) => index >= passages.length - MAX_CLOSING && asks(passage))
  if (from < 0) return []
  let closing = passages.slice(from)
  while (closing.length > 0 && measure(closing) > room) closing = closing.slice(0, -1)
  return closing
}

/** While it works, an agent thinks aloud: what it said last holds, what it said before may not. */
function takeEnd(passages: readonly Passage[], room: number): readonly Passage[] {
  let end = passages
  while (end.length > 1 && measure(end) > room) end = end.slice(1)
  // Not with a word that refers to what was left out.
  while (end.length > 1 && end.length < passages.length && end[0]?.needs !== undefined) end = end.slice(1)
  // Not from the middle of a numbered item.
  const start = end.length === passages.length ? -1 : end.findIndex(({ text }) => NUMBERED.test(text))
  return start > 0 && end.slice(0, start).every(({ form }) => form === 'item') ? end.slice(start) : end
}

/** What the user said or did next. */
function nameTurn({ message }: SplitTalk): string {
  return message.kind === 'refusal' || message.kind === 'answer' ? message.kind : 'request'
}

/** The agent's last words: whole if they fit, else what says most of them; short remarks with those before them. */
export function addLastWords(draft: Draft, talk: Talk, lastEditOrder = 0): void {
  const { talks, lastWords, announced, isTurnOver, reply } = talk
  if (lastWords === undefined) return
  addStatedNext(draft, talk)
  const next = talks.slice(lastWords.index).find(({ message }) => message.speaker === 'user')
  const isBeforeUser = next !== undefined
  if (isBeforeUser) draft.label('stood', `Agent, before that ${reply === undefined ? nameTurn(next) : 'answer'}`)
  if (announced !== undefined) draft.add(toItem(announced, 'activity', 'what the agent said last that it would do'))
  let left: number = isBeforeUser && reply === undefined ? ROOMS.formerWords : ROOMS.lastWords
  let isNewest = true
  let isAfterEdit = false
  const from = Math.max(0, lastWords.index - MAX_BACK)
  for (const said of talks.slice(from, lastWords.index + 1).toReversed()) {
    if (said.message.speaker === 'user') break
    if (said.message.kind !== 'message' && said.message.kind !== 'turn-final') continue
    const last = said.passages.at(-1)?.position ?? 0
    const free = (isBeforeUser ? withoutOffers(said, talks) : said.passages).filter(
      (passage) =>
        !draft.has(passage) &&
        (isTurnOver ||
          !(
            (isNarration(passage.text) && passage.score > 0 && (said !== lastWords || isLooking(passage.text))) ||
            (passage.form === 'prose' && passage.text.endsWith(':'))
          )),
    )
    if (free.length === 0) continue
    const boost = ({ position }: Passage) => (position > last - ENDING_SENTENCES ? ENDING : 1)
    const isLast = said === lastWords
    // A message that is nearly short enough is taken whole.
    if (isNewest && measure(free) <= left * WHOLE) left = Math.max(left, measure(free))
    // What was said before a mere announcement is what the work stands on.
    if (!isNewest && measure(free) > left) break
    isNewest = false
    const closing = measure(free) > left && isTurnOver && isLast ? findClosing(free, left * CLOSING_SHARE) : []
    const others = free.filter((passage) => !closing.includes(passage))
    const chosen =
      measure(free) <= left
        ? free
        : !isTurnOver && isLast && !isBeforeUser
          ? takeEnd(free, left)
          : [
              ...chooseParagraphs(others, { room: left - measure(closing), isLed: closing.length === 0, boost }),
              ...closing,
            ]
    // What an edit came after may be done, or wrong.
    const isBeforeEdit = said.message.kind === 'message' && said.message.order < lastEditOrder
    const section: SectionKey = isBeforeEdit && isAfterEdit ? 'before-edit' : 'stood'
    if (isBeforeEdit && !isAfterEdit && !isBeforeUser) draft.label('stood', "Agent's last words, before the last edit")
    const isAdded: boolean =
      chosen.filter((passage) => draft.add(toItem(passage, section, 'the last words'))).length > 0
    isAfterEdit ||= isAdded && !isBeforeEdit
    left -= measure(chosen)
    if (left < LEAST_ROOM) break
  }
}
