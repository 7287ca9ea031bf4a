import type { CommitRecord, DialogueKind, DialogueMessage } from '../../kernel/checkpoint.ts'
import type { Todo } from '../../kernel/event.ts'
import { oneLine } from '../../kernel/text/text.ts'
import {
  type Cue,
  findCues,
  isAcknowledgement,
  isAnnouncement,
  isDoneRemark,
  isInterjection,
  isLooking,
  isNarration,
  isPassingRemark,
  isProgress,
} from './cues.ts'
import { withoutPastedOutput } from './pasted-output.ts'
import { SCORING } from './scoring.ts'
import { type Sentence, splitMessage } from './split-message.ts'

/** A sentence of the dialogue, with what its choice is decided on. */
export interface Passage extends Sentence {
  /** Which message it is from, and which sentence of it. */
  readonly message: number
  readonly position: number
  readonly speaker: DialogueMessage['speaker']
  readonly from: DialogueKind
  /** What an answer answers, or what a refusal refuses. */
  readonly about?: string
  /** A refusal without a word of the user. */
  readonly isWordless?: true
  readonly cues: ReadonlySet<Cue>
  readonly words: ReadonlySet<string>
  readonly score: number
  /** The sentence before it, where "this" or "it" refers to that. */
  readonly needs?: Passage
}

/** A message and its sentences. */
export interface SplitTalk {
  readonly index: number
  readonly message: DialogueMessage
  readonly title?: string
  /** Long enough to be a plan or a task description. */
  readonly isDocument: boolean
  readonly passages: readonly Passage[]
}

const DOCUMENT_CHARS = 1_500
/** A line of code in a message this short is what it is about. */
const SHORT_REQUEST_CHARS = 600
const MAX_AGE = 60
const AGE_UNIT = 15
const MAX_CUES = 3
const MAX_IDENTIFIERS = 4
const LONG_MESSAGE = 3
const OPENING = 2
/** A remark is a short message between two tool calls, a few messages ago. */
const REMARK_AGE = 2
const REMARK_SENTENCES = 3
/** "Perfect!" is nothing to remedy. */
const LEAST_CAUSE = 25

const WORD = /[A-Za-z_]\w{3,}|[\u4e00-\u9fff]{2}/g
const COMMON: ReadonlySet<string> = new Set(
  'this that with from have will your should need into when then them than they make sure also been were what which there their here some more only just like does doing would could about after before because while where each other over under very same such these those'.split(
    ' ',
  ),
)
const IDENTIFIER =
  /[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w+|\w+_\w+|[\w-]+\.(?:go|ts|tsx|js|py|md|rs|json|ya?ml|toml|sh|sql|java|rb|css|html)\b|[\w.-]+\/[\w./-]+|--?[a-z][\w-]+/g
/** A heading that says nothing about its list. */
const EMPTY_HEADING =
  /^(?:\d+[.)] )?(?:here'?s.*|summary(?: of .*)?|changes(?: made)?|what (?:i |was |has )?(?:did|done|changed|i did)|details|overview|notes?|output|context|implementation|key (?:points|changes)|analysis|results?|background)$/i
const DEMAND =
  /constraint|rule|non-?negotiable|decided|decision|answer|must|requirement|guardrail|error handling|important|scope|default|before you|principle|deliverable|acceptance|clarif/i
/** A description of the state, not of work to do. */
const AS_IS = /^(?:\d+[.)] )?(?:current(?:ly)?|existing|as[- ]is|background)\b|\bcurrently\b/i
/** A list of what might be, or of what could be chosen. */
const HEDGED = /\b(?:might|may|could|possib\w+|options?|alternatives?|choices)\b/i
const FILE_LIST = /file|structure|verification|test/i

/** `hooks_claude_handlers.go` also as its parts: a todo calls it "hooks handlers". */
function withParts(text: string): string {
  return `${text} ${text.replace(/_|(?<=[a-z])(?=[A-Z])/g, ' ')}`
}

function toWords(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD)) {
    const plain = word.toLowerCase()
    if (!COMMON.has(plain)) words.add(plain)
  }
  return words
}

interface SpokenMessage {
  readonly message: DialogueMessage
  /** Later messages of user and agent. */
  readonly age: number
  readonly isDocument: boolean
  readonly sentenceCount: number
}

const NUMBERED = /^\d{1,2}[.)] /

function countIdentifiers(text: string): number {
  return text.match(IDENTIFIER)?.length ?? 0
}

function scoreSentence(sentence: Sentence, position: number, cues: ReadonlySet<Cue>, talk: SpokenMessage): number {
  const { message, age, isDocument, sentenceCount } = talk
  const isUser = message.speaker === 'user'
  const isFinal = message.kind === 'turn-final'
  const identifiers = countIdentifiers(sentence.text)
  const isDemanded = isDocument && isUser
  const isWish = isUser && !isDocument && cues.has('constraint')
  const ageing = isWish ? SCORING.wishAge : isUser ? SCORING.userAge : SCORING.age
  const parts = [
    (ageing * Math.min(age, MAX_AGE)) / AGE_UNIT,
    isUser ? SCORING.user : 0,
    message.kind === 'answer' ? SCORING.answer : 0,
    isUser && isAcknowledgement(message.text) ? SCORING.acknowledgement : 0,
    isFinal ? SCORING.turnFinal : 0,
    isFinal && position < OPENING ? SCORING.opening : 0,
    SCORING.cue * Math.min(MAX_CUES, cues.size),
    (SCORING.identifiers * Math.min(identifiers, MAX_IDENTIFIERS)) / MAX_IDENTIFIERS,
    !isUser && age > 0 && HEDGED.test(sentence.heading) ? SCORING.hedged : 0,
    !isUser && age > 1 && isNarration(sentence.text) ? SCORING.narration : 0,
    !isUser && cues.has('question') ? SCORING.agentQuestion : 0,
    sentenceCount > LONG_MESSAGE ? SCORING.longMessage : 0,
    message.kind === 'summary' ? SCORING.summary : 0,
    message.kind === 'report' ? SCORING.report : 0,
    !isUser && sentence.form === 'row' ? SCORING.row : 0,
    !isUser && NUMBERED.test(sentence.text) ? SCORING.numbered : 0,
    isDemanded && DEMAND.test(sentence.heading) ? SCORING.demand : 0,
    isDemanded && (AS_IS.test(sentence.heading) || AS_IS.test(sentence.part ?? '')) ? SCORING.asIs : 0,
    isDemanded && FILE_LIST.test(sentence.heading) ? SCORING.fileList : 0,
  ]
  return Math.exp(parts.reduce((sum, part) => sum + part, 0))
}

/** Begins with a word that refers to the sentence before. */
const REFERS =
  /^(?:(?:so|but|and|also|then|however|therefore|instead|otherwise|because|which|since) )?(?:this|that|these|those|it|it's|they|them|he|she|both|neither|either|the (?:latter|former|same)|such)\b|^(?:so|but|and|then|however|therefore|instead|otherwise|because|which|still|though|actually|here's|here is)\b/i

const USER_REFERS =
  /^(?:this|these|those|it|they) (?:is|are|was|were|causes?|means?|appears?|would|will|happens?|leads?|makes?)\b/i
/** Names no case but the one of the sentence before. */
const POINTS_BACK =
  /\b(?:in|for|of|about|to) (?:this|that|such an?|these|those) (?:situation|case|cases|error|problem|issue|condition|scenario)s?\b/i

function refers({ speaker, form, text }: Passage): boolean {
  if (speaker === 'user') return POINTS_BACK.test(text) || USER_REFERS.test(text)
  return form === 'prose' && REFERS.test(text)
}

/** Each sentence with the one that it refers to; without one it says little by itself. */
function withReferences(passages: readonly Passage[]): readonly Passage[] {
  const linked: Passage[] = []
  for (const passage of passages) {
    const before = linked.at(-1)
    const above = linked.find(({ position }) => position === passage.under)
    const isHalf = passage.isContinued === true && before !== undefined && before.position === passage.position - 1
    if (above !== undefined) linked.push({ ...passage, needs: above })
    else if (isHalf) linked.push({ ...passage, needs: before })
    else if (!refers(passage)) linked.push(passage)
    else if (before !== undefined && before.position === passage.position - 1 && passage.isAfterCode !== true)
      linked.push({ ...passage, needs: before })
    else if (passage.speaker === 'user') linked.push(passage)
    else linked.push({ ...passage, score: passage.score * SCORING.unreferred })
  }
  return linked
}

const MIN_AGENT_CHARS = 12
const MIN_WORDS = 3
/** A line of a menu. */
const CHOICE = /^\[\w{1,2}\] /
/** A slash command without words. */
const COMMAND = /^\/[\w:-]+$/

/** A sentence without content: "Good point." */
function isEmpty({ text }: Sentence, words: ReadonlySet<string>, { speaker, kind }: DialogueMessage): boolean {
  if (speaker === 'user')
    return kind === 'request' && (text.length < 6 || isAcknowledgement(text) || COMMAND.test(text))
  if (text.length < MIN_AGENT_CHARS) return true
  IDENTIFIER.lastIndex = 0
  return words.size < MIN_WORDS && !IDENTIFIER.test(text) && !/\d/.test(text)
}

/** What is open and what is done: what a plan says about an open step is what comes next. */
export interface PlanWords {
  readonly open: readonly ReadonlySet<string>[]
  readonly done: readonly ReadonlySet<string>[]
}

const STEM_CHARS = 5

/** Words without their endings: "Add tests for redaction" is about what "TestRedactBytes" is. */
function toStems(text: string): ReadonlySet<string> {
  return new Set([...toWords(withParts(text))].map((word) => word.replace(/s$/, '').slice(0, STEM_CHARS)))
}

/** Todos and the subjects of commits, as words. */
export function readPlanWords(todos: readonly Todo[], commits: readonly CommitRecord[] = []): PlanWords {
  const toDo = (isDone: boolean) => todos.filter(({ status }) => (status === 'completed') === isDone)
  return {
    open: toDo(false).map(({ text }) => toStems(text)),
    done: [...toDo(true).map(({ text }) => text), ...commits.map(({ subject }) => subject)].map(toStems),
  }
}

const LEAST_SHARED = 2

/** How a sentence of a plan stands to the todos and commits: of an open step, of a finished one, of none. */
function scoreByPlan({ text, heading, section = '' }: Sentence, { open, done }: PlanWords): number {
  const words = toStems(`${section} ${heading} ${text}`)
  const shared = (step: ReadonlySet<string>) => [...step].filter((word) => words.has(word)).length
  const most = (steps: readonly ReadonlySet<string>[]) => Math.max(0, ...steps.map(shared))
  const ahead = most(open)
  const behind = most(done)
  if (ahead >= LEAST_SHARED && ahead > behind) return SCORING.openTodo
  return behind >= LEAST_SHARED && behind > ahead ? SCORING.doneTodo : 0
}

/** The dialogue as sentences with scores. */
export function splitDialogue(
  dialogue: readonly DialogueMessage[],
  steps: PlanWords = { open: [], done: [] },
): readonly SplitTalk[] {
  return dialogue.map((message, index) => {
    const isLast = !dialogue.slice(index + 1).some(({ speaker }) => speaker === message.speaker)
    const isRefusal = message.kind === 'refusal'
    const isWordless = isRefusal && message.text === ''
    const spoken = isWordless ? 'refused' : message.text
    const own = message.speaker === 'user' ? withoutPastedOutput(spoken) : spoken
    const about = isRefusal || message.kind === 'answer' ? message.about : undefined
    const { title, sentences } = splitMessage(
      own,
      message.speaker === 'user' && oneLine(own).length <= SHORT_REQUEST_CHARS,
    )
    const isDocument = own.length > DOCUMENT_CHARS
    const talk = { message, isDocument, age: dialogue.length - 1 - index, sentenceCount: sentences.length }
    const said = new Set<string>()
    const passages = sentences.flatMap((sentence, position): readonly Passage[] => {
      const words = toWords(sentence.text)
      const isAnnounced =
        message.speaker === 'agent' && talk.age > 0 && sentence.form === 'prose' && isAnnouncement(sentence.text)
      // "It made a folder. Let me remove that.": without the second the first would be the state.
      const cause = sentences[position - 1]?.text ?? ''
      const isRemedy = isAnnounced && cause.length >= LEAST_CAUSE && !isLooking(sentence.text) && !isAnnouncement(cause)
      const isStale = isAnnounced && !isRemedy
      const isIntroduction = message.speaker === 'agent' && sentence.form === 'prose' && sentence.text.endsWith(':')
      const isRemark =
        !isRemedy &&
        talk.age > (/^(?:good|great|perfect|nice|excellent)\b/i.test(sentence.text) ? 0 : REMARK_AGE) &&
        message.kind === 'message' &&
        sentences.length <= REMARK_SENTENCES &&
        isPassingRemark(sentence.text, countIdentifiers(sentence.text))
      const isHollow =
        message.speaker === 'agent' &&
        (sentence.isBeforeCode === true ||
          isInterjection(sentence.text) ||
          (!isLast && CHOICE.test(sentence.text)) ||
          (!isLast && (isProgress(sentence.text) || isProgress(sentence.heading))) ||
          (!isLast && message.kind === 'message' && isDoneRemark(sentence.text)))
      if (
        said.has(sentence.text) ||
        isHollow ||
        (!isLast && (isStale || isIntroduction || isRemark || isEmpty(sentence, words, message)))
      )
        return []
      said.add(sentence.text)
      const cues = findCues(sentence.text)
      const isPlanned =
        steps.open.length + steps.done.length > 0 &&
        (message.kind === 'plan' || (isDocument && message.speaker === 'user'))
      const planned = isPlanned ? Math.exp(scoreByPlan(sentence, steps)) : 1
      const score = isRemedy ? 0 : scoreSentence(sentence, position, cues, talk) * planned
      const heading = EMPTY_HEADING.test(sentence.heading) ? '' : sentence.heading
      const { speaker, kind: from } = message
      return [
        {
          ...sentence,
          heading,
          message: index,
          position,
          speaker,
          from,
          cues,
          words,
          score,
          ...(about === undefined ? {} : { about }),
          ...(isWordless ? { isWordless: true as const } : {}),
        },
      ]
    })
    return { index, message, isDocument, passages: withReferences(passages), ...(title === undefined ? {} : { title }) }
  })
}
