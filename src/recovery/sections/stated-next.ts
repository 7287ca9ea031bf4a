import type { Draft } from '../items/draft.ts'
import { measure, toItem } from '../items/fill.ts'
import type { Passage } from '../passages/passage.ts'
import { ROOMS } from '../passages/scoring.ts'
import type { Talk } from '../dialogue/talk.ts'

const HEADING =
  /^(?:\d+[.)] )?(?:next(?: steps?)?|remaining(?: \w+)?|still (?:open|to do|missing)|what(?:'s| is) (?:left|next)|to ?do|left to do)\b/i
const SENTENCE =
  /^(?:next(?: steps?)?|remaining(?: \w+)?|still (?:open|to do|missing)|what(?:'s| is) left|to ?do)\s*[:–—-]/i

function isNext({ heading, text, form }: Passage): boolean {
  return (form !== 'prose' && HEADING.test(heading)) || SENTENCE.test(text)
}

/** What the agent itself said is left, in its last message that says so since the current request. */
export function addStatedNext(draft: Draft, { talks, current }: Talk): void {
  const said = talks.findLast(
    ({ message, index, passages }) =>
      message.speaker === 'agent' &&
      (message.kind === 'message' || message.kind === 'turn-final') &&
      index > (current?.index ?? -1) &&
      passages.some(isNext),
  )
  let chosen = (said?.passages ?? []).filter((passage) => isNext(passage) && !draft.has(passage))
  while (chosen.length > 0 && measure(chosen) > ROOMS.todos) chosen = chosen.slice(0, -1)
  for (const passage of chosen) draft.add(toItem(passage, 'next', 'what the agent said is left'))
}
