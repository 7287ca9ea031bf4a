import type { DialogueMessage, WorkSummary } from '../../kernel/checkpoint.ts'
import { PLAN_QUESTION, REFUSED_PLAN } from '../../kernel/event.ts'
import { isAnswer, isSubstantiveRequest, lastQuestion } from '../../kernel/text/text.ts'
import { CUES, isAcknowledgement, isFarewell, isNarration } from '../passages/cues.ts'
import { type Passage, readPlanWords, type SplitTalk, splitDialogue } from '../passages/passage.ts'
import { SAYS_RED } from './disputed.ts'
import { isSettled } from './settled.ts'

/** Checkpoints of earlier versions have requests and the beginnings of statements only. */
function fromOlder({ asks, statements }: WorkSummary): readonly DialogueMessage[] {
  return [
    ...asks.map(({ text, order, at }) => ({ speaker: 'user', kind: 'request', text, order, at }) as const),
    ...statements.map(
      ({ text, lastOrder }) => ({ speaker: 'agent', kind: 'message', text, order: lastOrder }) as const,
    ),
  ].toSorted((a, b) => a.order - b.order)
}

export function listDialogue(work: WorkSummary): readonly DialogueMessage[] {
  return work.dialogue === undefined || work.dialogue.length === 0 ? fromOlder(work) : work.dialogue
}

/** The dialogue and what each message of it is for. */
export interface Talk {
  readonly talks: readonly SplitTalk[]
  /** The request under way, or the last one. */
  readonly current?: SplitTalk
  /** The plan or the task description that the current request is a step of. */
  readonly overall?: SplitTalk
  /** The request that the session began with. */
  readonly first?: SplitTalk
  /** The slash command that the session began with. */
  readonly begun?: SplitTalk
  /** What the current request adds to, asked for in the same turn: "and test it". */
  readonly before?: SplitTalk
  /** What the user asked for after it: a commit, "more comments". */
  readonly since: readonly SplitTalk[]
  /** The turn of the current request ended before a later one. */
  readonly isCurrentDone: boolean
  /** A short answer since the current request. */
  readonly reply?: SplitTalk
  readonly lastWords?: SplitTalk
  /** What the agent said last that it would do, while it worked. */
  readonly announced?: Passage
  /** Messages of the user that need nothing any more. */
  readonly settled: ReadonlySet<SplitTalk>
  /** Nothing was said or done since the last message of the user. */
  readonly isUnanswered: boolean
  /** The agent's last words ended its turn. */
  readonly isTurnOver: boolean
  /** The user approved the plan after the last request: the plan is the work now. */
  readonly isPlanApproved: boolean
  /** The agent wrote a plan, and the user has not approved one. */
  readonly isPlanOpen: boolean
}

const OWN_COMMAND = /^\/(?:holdfast:)?(?:checkpoint|recall|remember|sesh-\w+)\b/
/** A skill or a command of the harness: a request of its own, and not an answer. */
const COMMAND = /^\/[a-z][\w:-]+(?:\s|$)/i
const MIN_REQUEST_CHARS = 18
const MIN_EXPANSION_CHARS = 80
const CHORE_COMMAND = /^\/(?:[\w-]+:)?(?:commit|push|pr|ship|merge|sync|format)\b/i
/** Pasted output and the prompt of a shell. */
const PRINTED = /^\(pasted output:|^\[[\w:.-]+\] ?\$|^[$❯>] /
/** Output that was pasted without a word, because of the error that it shows. */
const PASTED_ERROR = /^\(pasted output: .*\b(?:fail|error|panic|exception)/i
/** A longer message is not a reply. */
const MAX_REPLY_CHARS = 140

/** One of our own commands, or a farewell: neither is about the work. */
function isOwnCommand({ message }: SplitTalk): boolean {
  return message.speaker === 'user' && (OWN_COMMAND.test(message.text) || isFarewell(message.text))
}

function isRequest({ message }: SplitTalk): boolean {
  return message.speaker === 'user' && (message.kind === 'request' || message.kind === 'queued')
}

/** A slash command or a skill that stands for a text is a request as that text would be. */
function isExpanded({ message: { text, about = '' } }: SplitTalk): boolean {
  return (
    about.length >= MIN_EXPANSION_CHARS && COMMAND.test(text) && !OWN_COMMAND.test(text) && !CHORE_COMMAND.test(text)
  )
}

function saysSomething({ message, passages }: SplitTalk): boolean {
  const { text } = message
  if (isAcknowledgement(text) || OWN_COMMAND.test(text) || text.length <= MIN_REQUEST_CHARS) return false
  return passages.some((passage) => !PRINTED.test(passage.text) || PASTED_ERROR.test(passage.text))
}

/** Short, but not only an agreement or one of our own commands. */
function isOwnRequest({ message, passages }: SplitTalk): boolean {
  const { text } = message
  return passages.some((passage) => !PRINTED.test(passage.text)) && !isAcknowledgement(text)
}

const MAX_REMARK_CHARS = 160
/** States how something is, and asks for nothing. */
const REMARK = /^(?:also,? )?(?:we|fyi|btw|by the way|note|just so you know|it|they|that|this|the \w+)\b/i
const ASKS =
  /\?|\b(?:please|let'?s|can|could|should|shouldn'?t|must|need|don'?t|do not|wants?|instead|wrong|broken|fail\w*|error\w*|doesn'?t|isn'?t|not working)\b|[,.;:] ?(?:(?:so|and|then|just|also) )*(?:add|fix|make|use|remove|change|check|try|run|write|update|revert|delete|move|rename|look|see)\b/i
const OPINION = /\bi (?:don'?t|do not) think\b/gi
/** Much was done after it. */
const ACTED_EVENTS = 10
/** What was announced longer ago is done. */
const ANNOUNCED_EVENTS = 20

function isRemark({ message }: SplitTalk): boolean {
  const { text } = message
  return (
    text.length <= MAX_REMARK_CHARS &&
    REMARK.test(text) &&
    !ASKS.test(text.replace(OPINION, '').replace(/\bthat we need to\b/gi, ''))
  )
}

/** The agent has gone on with the open items of its list since. */
function wasActedOn({ message }: SplitTalk, { lastOrder, todos, todosOrder = 0 }: WorkSummary): boolean {
  const isOpen = todos.some(({ status }) => status !== 'completed')
  return isOpen && lastOrder - message.order >= ACTED_EVENTS && todosOrder > message.order
}

/** So many sentences at the end of a message may belong to its question. */
const MAX_OFFER = 8
const OFFER = /^options?$|would you like|do you want|which/i

const ASIDE =
  /^(?:also|and|another (?:question|thing)|btw|by the way|one more|wait|what about|where|why|how|is|are|does|do you know|can you check)\b/i

/** A question of the user's own beside the one that the agent asked, which stays open. */
function isAside({ kind, text }: DialogueMessage): boolean {
  return kind === 'request' && ASIDE.test(text.trim()) && !isAnswer(text) && !isAcknowledgement(text)
}

/** What the agent said, without the question at its end and the options of it that the user has answered since. */
export function withoutOffers(
  { index, message, passages }: SplitTalk,
  talks: readonly SplitTalk[],
): readonly Passage[] {
  const next = talks.find((later) => later.index > index && later.message.speaker === 'user')
  const isAnswered =
    next !== undefined &&
    !(isAside(next.message) && talks.every((later) => later.index <= next.index || later.message.speaker !== 'user'))
  if (message.speaker === 'user')
    return message.kind === 'request' && isAcknowledgement(message.text)
      ? []
      : passages.filter(({ text }) => !PRINTED.test(text) || PASTED_ERROR.test(text))
  if (!isAnswered) return passages
  const asked = passages.findIndex(
    (passage, at) =>
      at >= passages.length - MAX_OFFER &&
      (CUES.question.test(passage.text) || CUES.question.test(passage.heading) || OFFER.test(passage.heading)),
  )
  return (asked < 0 ? passages : passages.slice(0, asked)).filter(({ text }) => !CUES.question.test(text))
}

const ADDS = /^(?:and|also|plus|but|then|oh)\b/i

/** The request of the same turn that a later one adds to. */
function findBefore(current: SplitTalk | undefined, talks: readonly SplitTalk[]): SplitTalk | undefined {
  if (current === undefined || !(current.message.kind === 'queued' || ADDS.test(current.message.text))) return undefined
  const turn = talks.slice(0, current.index)
  const start = turn.findLastIndex(({ message }) => message.kind === 'turn-final')
  return turn.findLast((talk) => talk.index > start && isRequest(talk) && !OWN_COMMAND.test(talk.message.text))
}

function isPlanApproval({ message }: SplitTalk): boolean {
  return message.kind === 'answer' && message.about?.startsWith(PLAN_QUESTION) === true
}

/** The user refused it, and approved none since. */
function isRefusedPlan(plan: SplitTalk, talks: readonly SplitTalk[]): boolean {
  // The answer to a plan is read before the plan.
  const before = talks[plan.index - 1]
  if (before !== undefined && isPlanApproval(before)) return false
  const later = talks.slice(plan.index + 1)
  const isRefused = later.some(({ message }) => message.kind === 'refusal' && message.about === REFUSED_PLAN)
  return plan.message.kind === 'plan' && isRefused && !later.some(isPlanApproval)
}

const MAX_QUESTION_CHARS = 200
/** A mere "yes" says something only as long as the work is near it. */
const RECENT = 8
/** Whatever was asked, the answer says nothing of the work. */
const OFFERS_NOTHING =
  /^(?:(?:shall|should|may|can) i|(?:do you )?want me to|would you like me to|ready to|is (?:that|this) (?:ok|right|correct)) ?(?:go on|continue|proceed|commit|push)?[^,]{0,12}\?$|anything else|what(?:'s| is| would you like) next|commit|push/i

/** Earlier "yes, all three" and "2" as answers to the question that the agent had ended its turn with. */
function withAsked(dialogue: readonly DialogueMessage[]): readonly DialogueMessage[] {
  const lastUser = dialogue.findLastIndex(({ speaker }) => speaker === 'user')
  return dialogue.map((message, index) => {
    const before = dialogue[index - 1]
    if (index === lastUser || message.kind !== 'request' || before?.kind !== 'turn-final') return message
    if (isSubstantiveRequest(message.text) || !isAnswer(message.text)) return message
    if (isAcknowledgement(message.text) && index < dialogue.length - RECENT) return message
    const about = lastQuestion(before.text.replaceAll('**', ''), MAX_QUESTION_CHARS)
    return about === undefined || OFFERS_NOTHING.test(about) ? message : { ...message, kind: 'answer', about }
  })
}

/** "The test is failing because…", and all checks of that kind have passed since. */
function wasRefuted(
  { text, speaker, form }: Passage,
  { order }: DialogueMessage,
  { checks = [] }: WorkSummary,
): boolean {
  if (speaker === 'user' || form !== 'prose') return false
  const later = checks.filter((run) => run.order > order)
  return (['test', 'build', 'lint'] as const).some(
    (purpose) =>
      SAYS_RED[purpose].test(text) &&
      later.some((run) => run.purpose === purpose) &&
      later.every((run) => run.purpose !== purpose || run.verdict === 'passed'),
  )
}

/** What is to be changed, in the words of the agent. */
const INTENDS =
  /\b(?:(?:i|we) (?:also |now |still |just )?(?:need|have) to|(?:also )?needs? to (?:be |also )|\bshould(?:n't)? (?!not\b)\w+|(?:still|also) need(?:s|ed)? (?:to|an?|the)\b|\bcurrently\b|\bstill\b|\bcurrent code\b|\bfails? (?:at|in|on|because|with|to)\b|\b(?:is|are) failing\b|\bi'll\b|\bdiagnostics?\b|\bdoesn'?t seem\b)/i

/** "I need to rename it", and the agent edited since: whether it did so is not known. */
function wasActedUpon(
  { text, speaker, heading, form }: Passage,
  message: DialogueMessage,
  { lastEditOrder = 0 }: WorkSummary,
): boolean {
  return (
    speaker === 'agent' &&
    message.kind === 'message' &&
    message.order < lastEditOrder &&
    (INTENDS.test(text) || (form === 'item' && INTENDS.test(heading)))
  )
}

const LEAST_QUOTED_CHARS = 40
const ASKS_ABOUT = /\?|\b(?:clarif\w*|explain|what (?:do|did) you mean|is (?:this|that) (?:right|true|correct))\b/i

function normalize(text: string): string {
  return text.replace(/[*`_]/g, '').replace(/\s+/g, ' ')
}

/** The message without the sentences of the agent that the user pasted into it to ask about them; an order may repeat an offer. */
function withoutPastedBack(talk: SplitTalk, dialogue: readonly DialogueMessage[]): readonly Passage[] {
  const { message, passages, isDocument, index } = talk
  if (message.speaker !== 'user' || isDocument || !ASKS_ABOUT.test(message.text)) return passages
  const said = dialogue
    .slice(0, index)
    .flatMap(({ kind, text }) => (kind === 'message' || kind === 'turn-final' ? [normalize(text)] : []))
  const own = passages.filter(({ text }) => {
    const quoted = normalize(text)
    return text.length < LEAST_QUOTED_CHARS || !said.some((words) => words.includes(quoted))
  })
  return own.length === 0 ? passages : own
}

function endedBetween(talks: readonly SplitTalk[], from: number, to = talks.length): boolean {
  return talks.some(({ index, message }) => message.kind === 'turn-final' && index > from && index < to)
}

/** `isNews`: whether a sentence may be used. */
export function readTalk(work: WorkSummary, isNews: (text: string) => boolean = () => true): Talk {
  const dialogue = withAsked(listDialogue(work))
  const lastSpoken = dialogue.findLastIndex(({ speaker, kind }) => speaker === 'agent' && kind !== 'report')
  const talks = splitDialogue(dialogue, readPlanWords(work.todos, work.commits)).map((talk) => ({
    ...talk,
    passages: isOwnCommand(talk)
      ? []
      : withoutPastedBack(talk, dialogue).filter(
          (passage) =>
            isNews(passage.text) &&
            !wasRefuted(passage, talk.message, work) &&
            (talk.index === lastSpoken || !wasActedUpon(passage, talk.message, work)),
        ),
  }))
  const requests = talks.filter((talk) => isRequest(talk) && (saysSomething(talk) || isExpanded(talk)))
  const substantial = requests.filter((talk) => isSubstantiveRequest(talk.message.text) || isExpanded(talk))
  const wasHandled = (talk: SplitTalk) => isRemark(talk) && substantial[0] !== talk && wasActedOn(talk, work)
  const current = substantial.findLast((talk) => !wasHandled(talk)) ?? requests.at(-1) ?? talks.findLast(isRequest)
  const opening = talks.find(isRequest)
  const begun =
    opening !== undefined && COMMAND.test(opening.message.text) && !isOwnCommand(opening) ? opening : undefined
  const before = findBefore(current, talks)
  const refusedPlans = talks.filter((talk) => isRefusedPlan(talk, talks))
  const documents = talks.filter(
    (talk) =>
      (talk.message.kind === 'plan' && !refusedPlans.includes(talk)) || (talk.isDocument && substantial.includes(talk)),
  )
  const overall = documents.at(-1)
  const approval = talks.findLast(isPlanApproval)
  const isPlanApproved =
    approval !== undefined &&
    overall?.message.kind === 'plan' &&
    !talks.some((talk) => talk.index > approval.index && isRequest(talk)) &&
    approval.index > (current?.index ?? -1)
  const [first] = substantial.filter((talk) => talk !== current && talk !== overall && talk !== before)
  const lastUser = talks.findLast(({ message }) => message.speaker === 'user')
  const lastWords = talks.findLast(
    ({ message, passages }) =>
      passages.length > 0 &&
      message.speaker === 'agent' &&
      message.kind !== 'summary' &&
      message.kind !== 'plan' &&
      message.kind !== 'report',
  )
  const lastOrder = lastWords?.message.order ?? -1
  const last = lastWords?.passages.at(-1)
  const isAnnounced = last !== undefined && (last.text.endsWith(':') || isNarration(last.text))
  const isTurnOver =
    lastWords !== undefined &&
    lastWords.index > (lastUser?.index ?? -1) &&
    (lastWords.message.kind === 'turn-final' || (lastOrder >= work.lastOrder && !isAnnounced))
  const isReply =
    lastUser !== undefined &&
    lastUser !== current &&
    isRequest(lastUser) &&
    !isFarewell(lastUser.message.text) &&
    !COMMAND.test(lastUser.message.text) &&
    (isAcknowledgement(lastUser.message.text) || isAnswer(lastUser.message.text)) &&
    lastUser.message.text.length <= MAX_REPLY_CHARS
  const since = talks
    .filter((talk) => isRequest(talk) && talk.index > (current?.index ?? talks.length) && isOwnRequest(talk))
    // A turn that ended has done what was asked for in it; the last request may have to go on.
    .filter((talk, at, all) => at === all.length - 1 || !endedBetween(talks, talk.index, all[at + 1]?.index))
  return {
    talks,
    ...(current === undefined ? {} : { current }),
    ...(overall === undefined || overall === current ? {} : { overall }),
    ...(begun === undefined ? {} : { begun }),
    ...(before === undefined || before === overall ? {} : { before }),
    ...(isReply ? { reply: lastUser } : {}),
    settled: new Set([
      ...refusedPlans,
      ...talks.filter((talk) => talk !== current && talk !== before && !since.includes(talk) && isSettled(talk, talks)),
    ]),
    since: isReply ? since.filter((talk) => talk !== lastUser) : since,
    isCurrentDone:
      current !== undefined && !isReply && since.length > 0 && endedBetween(talks, current.index, since[0]?.index),
    ...(first === undefined ? {} : { first }),
    ...(lastWords === undefined ? {} : { lastWords }),
    ...(isTurnOver ||
    !isAnnounced ||
    work.lastOrder - lastOrder > ANNOUNCED_EVENTS ||
    (lastUser?.index ?? -1) > (lastWords?.index ?? 0)
      ? {}
      : { announced: last }),
    isUnanswered:
      lastUser !== undefined &&
      lastUser === current &&
      lastUser.message.order >= work.lastOrder &&
      (lastWords === undefined || lastWords.index < lastUser.index),
    isTurnOver,
    isPlanApproved,
    isPlanOpen:
      approval === undefined &&
      overall?.message.kind === 'plan' &&
      (work.lastEditOrder ?? 0) < overall.message.order &&
      !talks.some((talk) => talk.index > overall.index && isRequest(talk)),
  }
}
