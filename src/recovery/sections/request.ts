import { isAnswer, isSubstantiveRequest } from '../../kernel/text/text.ts'
import type { Draft } from '../items/draft.ts'
import { choose, measure, toItem } from '../items/fill.ts'
import { CUES } from '../passages/cues.ts'
import type { Passage, SplitTalk } from '../passages/passage.ts'
import { ROOMS } from '../passages/scoring.ts'
import { splitMessage } from '../passages/split-message.ts'
import type { SectionKey } from '../items/section-order.ts'
import type { Talk } from '../dialogue/talk.ts'

/** A first sentence may take so much more. */
const LEAD = 1.5
const PREAMBLE = 5
const OPENING_CHARS = 50
const PURPOSE = /summar|goal|overview|context|objective|problem/i
const IMPLEMENT = /^(?:please )?implement the following[^\n:.]{0,40}/i
export const IMPLEMENT_LINE = /^(?:please )?implement the following[^\n:.]{0,40}:?$/i
const SENTENCES_BEFORE_QUESTION = 2
const OPTION_CHARS = 4

function addTitle(draft: Draft, section: SectionKey, title: string): void {
  draft.add({ section, content: { kind: 'title', title }, origin: 'dialogue', reason: 'its title' })
}

/** The sentences before the first heading of a document say what it is for. */
function findPreamble({ passages }: SplitTalk): readonly Passage[] {
  const end = passages.findIndex(({ heading, form }) => heading !== '' || form !== 'prose')
  return passages
    .slice(0, Math.min(PREAMBLE, end < 0 ? passages.length : end))
    .filter(({ text }) => text.length > 30 && !IMPLEMENT.test(text))
}

function lead(passages: readonly Passage[], room: number): readonly Passage[] {
  const [first] = passages
  const most = first !== undefined && first.text.length > room ? room * LEAD : room
  return choose(passages, { room: most, isLed: true })
}

const NO_INPUT = /^[*#\s]*(?:input|arguments?|args)[*\s]*:[*\s]*(?:\n|$)/im
const NO_ARGUMENTS = /\bno (?:arguments?|input|args)\b/i

/** A document begins with what it is for; then what says most of the rest. */
function leadDocument(document: SplitTalk, room: number): readonly Passage[] {
  const [first, second] = document.passages
  // The text of a command that was given nothing: which of its cases applies.
  const usual = NO_INPUT.test(document.message.text)
    ? document.passages.find(({ text, form }) => form === 'item' && NO_ARGUMENTS.test(text))
    : undefined
  if (usual !== undefined && first !== undefined) {
    // The heading above it asks which case applies.
    const { section: _section, ...own } = { ...usual, heading: '' }
    const others = document.passages.filter(
      (passage) => passage !== first && passage.heading !== usual.heading && passage.section !== usual.section,
    )
    return [first, own, ...choose(others, { room: room - measure([first, own]) })].toSorted(
      (a, b) => a.position - b.position,
    )
  }
  // "You are a code reviewer.", which the next sentence completes.
  if (first === undefined || second === undefined || first.text.length >= OPENING_CHARS || second.form !== 'prose')
    return lead(document.passages, room)
  const others = document.passages.filter((passage) => passage !== first && passage !== second)
  return [first, second, ...choose(others, { room: room - measure([first, second]) })]
}

/** The agent has ended a turn since the request, and the user answered it. */
function isBeforeReply({ talks, current, reply }: Pick<Talk, 'talks' | 'current' | 'reply'>): boolean {
  return (
    current !== undefined &&
    reply !== undefined &&
    talks.some(({ index, message }) => message.kind === 'turn-final' && index > current.index && index < reply.index)
  )
}

/** The request in the user's words: whole if it fits, else its beginning and what says most. */
export function addRequest(
  draft: Draft,
  { talks, before, current, since, reply, isUnanswered, isTurnOver, isPlanApproved, isCurrentDone }: Talk,
): void {
  if (current === undefined) return
  const isPast = isBeforeReply({ talks, current, reply })
  const isFinished = isTurnOver && reply === undefined
  const isSeveral = isCurrentDone ? since.length > 1 : before !== undefined || since.length > 0
  if (isFinished) draft.label('request', `User's last request${isSeveral ? 's' : ''}, turn finished`)
  if (isPast) draft.label('request', 'User, before the answer below')
  if (isUnanswered) draft.label('request', 'User, not answered yet')
  if (isPlanApproved) draft.label('request', 'User, before approving the plan')
  const room = isPlanApproved || isPast || isCurrentDone ? ROOMS.overall : ROOMS.request
  for (const passage of lead(before?.passages ?? [], ROOMS.since))
    draft.add(toItem(passage, isCurrentDone ? 'also' : 'request', 'what the request adds to'))
  const { passages, isDocument, title } = current
  const isWhole = measure(passages) <= room
  const order = IMPLEMENT.exec(current.message.text.trimStart())?.[0]
  const isTitled =
    title !== undefined && (order !== undefined || (!isWhole && isDocument && findPreamble(current).length === 0))
  if (isTitled)
    addTitle(
      draft,
      isCurrentDone ? 'overall' : 'request',
      order === undefined ? title : `${order.replace(/[:.\s]*$/, '')}: ${title}`,
    )
  const own = order === undefined ? passages : passages.filter(({ text }) => !IMPLEMENT_LINE.test(text))
  const chosen = isWhole ? own : isDocument ? leadDocument({ ...current, passages: own }, room) : lead(own, room)
  const reason = isFinished ? 'the last request; its turn is finished' : 'the request under way'
  const section = isCurrentDone ? 'also' : 'request'
  for (const passage of chosen) draft.add(toItem(passage, section, reason))
  let left: number = ROOMS.since
  const later = since.toReversed().filter(({ passages }) => {
    left -= measure(passages)
    return left >= 0
  })
  for (const { passages } of later.toReversed())
    for (const passage of passages) draft.add(toItem(passage, 'request', 'asked for after it'))
  addExpansion(draft, current)
}

/** What a command was given, as harnesses write it into the text that it stands for. */
const GIVEN = /^(?:\*\*)?(?:input|arguments?|args|target)(?:\*\*)?:(?:\*\*)? *(\S[^\n]{0,119})$/im

/** A slash command or a skill: what it stands for, by its title and its first sentence. */
function addExpansion(draft: Draft, { message }: SplitTalk): void {
  const { text, about = '' } = message
  const { title, sentences } = splitMessage(about)
  const first = sentences.find((sentence) => sentence.form === 'prose' && !/^base directory/i.test(sentence.text))?.text
  const said = [title, first]
    .filter((part) => part !== undefined && part !== '')
    .join(': ')
    .replace(/\.$/, '')
  const [command = '', ...words] = text.split(/\s+/)
  if (said === '' || !command.startsWith('/')) return
  const given = words.length > 0 ? undefined : GIVEN.exec(about)?.[1]
  draft.add({
    section: 'overall',
    content: {
      kind: 'text',
      text: `${command}${given === undefined ? '' : ` (its text names: ${given.trim()})`}: ${said}`,
    },
    origin: 'dialogue',
    reason: 'what the command stands for',
  })
}

/** The command that the session began with. */
function addCommand(draft: Draft, { message }: SplitTalk): void {
  draft.add({
    section: 'overall',
    content: { kind: 'text', text: message.text },
    origin: 'dialogue',
    reason: 'the command that the session began with',
  })
}

/** The plan or the description of the task; else the request that the work began with. */
export function addOverall(draft: Draft, talk: Talk): void {
  const { overall, first, begun, current } = talk
  const isStep = isBeforeReply(talk) || !isSubstantiveRequest(current?.message.text ?? '')
  if (overall === undefined && first === undefined && begun !== undefined && begun !== current && isStep)
    addCommand(draft, begun)
  if (overall === undefined) {
    for (const passage of lead(first?.passages ?? [], ROOMS.overall))
      draft.add(toItem(passage, 'also', 'what the work began with'))
    return
  }
  if (talk.isPlanOpen) draft.label('overall', 'The plan that the agent wrote, not approved so far')
  const { passages, isDocument, title } = overall
  const preamble = isDocument ? findPreamble(overall) : []
  const purpose = preamble.length > 0 ? preamble : passages.filter(({ heading }) => isDocument && PURPOSE.test(heading))
  const isTitled = isDocument && title !== undefined && preamble.length === 0
  if (isTitled) addTitle(draft, 'overall', title)
  const from = (purpose.length > 0 ? purpose : passages).slice(0, 6).filter((passage) => !draft.has(passage))
  const room = (talk.isPlanApproved ? ROOMS.request : ROOMS.overall) - (isTitled ? title.length : 0)
  const led = talk.isPlanApproved ? leadDocument(overall, room) : lead(from, room)
  const others = passages.filter((passage) => !led.includes(passage) && !draft.has(passage))
  // A title alone says too little of a plan.
  const more = isDocument ? choose(others, { room: room - measure(led) }) : []
  for (const passage of [...led, ...more]) draft.add(toItem(passage, 'overall', 'what the work is for'))
}

/** The option that a short answer names, or the question with the sentences before it. */
function findAnswered(answer: string, asked: SplitTalk): readonly Passage[] {
  const { passages } = asked
  const tokens = answer
    .trim()
    .toLowerCase()
    .replace(/[.)!"]+$/, '')
    .split(/\s*(?:[+,&]|\band\b)\s*/)
  const options = tokens.map((token) =>
    token.length === 0 || token.length > OPTION_CHARS
      ? undefined
      : passages.findLast(
          ({ text }) =>
            text.replace(/^[[(]/, '').toLowerCase().startsWith(token) && /^[[(]?\w+[\])]?[.):\]]/.test(text),
        ),
  )
  if (options.every((option) => option !== undefined)) return options
  const question = passages.findLastIndex(({ text }) => CUES.question.test(text))
  const end = question < 0 ? passages.length : question + 1
  const from = passages.slice(Math.max(0, end - 1 - SENTENCES_BEFORE_QUESTION), end)
  while (from.length > 0 && measure(from) > ROOMS.answered) from.shift()
  // A case without its condition would be an assertion.
  return from.filter(({ under }) => under === undefined || from.some(({ position }) => position === under))
}

/** A short answer, with what it answers. */
export function addReply(draft: Draft, { talks, current, reply }: Talk): void {
  const isCurrentAnswer =
    current !== undefined &&
    current.message.about === undefined &&
    !current.message.text.startsWith('/') &&
    isAnswer(current.message.text)
  const short = reply ?? (isCurrentAnswer ? current : undefined)
  if (short === undefined) return
  const asked = talks.findLast(({ message, index }) => message.speaker === 'agent' && index < short.index)
  if (reply !== undefined)
    draft.add({
      section: 'reply',
      content: { kind: 'reply', reply: reply.message.text },
      origin: 'dialogue',
      reason: 'the last answer',
    })
  else draft.label('reply', 'Which answered')
  if (asked === undefined) return
  for (const passage of findAnswered(short.message.text, asked))
    if (!draft.has(passage)) draft.add(toItem(passage, 'reply', 'what the answer is about'))
}
