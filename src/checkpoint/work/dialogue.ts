import type { DialogueMessage } from '../../kernel/checkpoint.ts'
import { type EventOf, REFUSED_PLAN, type ToolCall, type ToolOutcome } from '../../kernel/event.ts'
import { clipMiddle } from '../../kernel/text/clip.ts'
import { clip, isSubstantiveRequest } from '../../kernel/text/text.ts'
import type { WorkState } from './state.ts'

/** When a tool ran, in the session's order: the transcript brings words after the hooks brought the tools. */
export interface ToolTime {
  readonly order: number
  readonly at: string
}

const MAX_CHARS = 24_000
const MAX_MESSAGE_CHARS = 6_000
const MAX_ABOUT_CHARS = 3_000
/** Characters of an old message that stay: of its beginning and its end. */
const MAX_OLD_CHARS = 1_500
/** The newest messages stay whole. */
const NEWEST = 10
const MAX_TOOL_TIMES = 60
/** A shorter output is a receipt. */
const MIN_REPORT_CHARS = 200
const MAX_REPORT_CHARS = 3_000
/** Of all answers together. */
const MAX_REPORTS_CHARS = 8_000

type Dialogue = readonly DialogueMessage[]

/** The dialogue in a work state; states of earlier versions have none. */
export interface DialogueState {
  readonly messages: Dialogue
  readonly toolTimes: readonly ToolTime[]
}

const EMPTY: DialogueState = { messages: [], toolTimes: [] }

function getDialogue({ dialogue = EMPTY }: Pick<WorkState, 'dialogue'>): DialogueState {
  return dialogue
}

function sizeOf({ text, about = '' }: DialogueMessage): number {
  return text.length + about.length
}

function shorten(message: DialogueMessage, maxChars: number): DialogueMessage {
  return {
    ...message,
    text: clipMiddle(message.text, maxChars),
    ...(message.about === undefined ? {} : { about: clipMiddle(message.about, maxChars) }),
  }
}

/** The order of removal: 0, first, is an agent's remark between two tool calls. */
function getRank({ speaker, kind }: DialogueMessage): number {
  if (kind === 'message' || kind === 'report') return 0
  return speaker === 'agent' ? 1 : 2
}

type ReductionStep = readonly [rank: number, action: 'drop' | 'shorten']
/** The first request, the user's messages, the final ones of turns and the newest stay longest. */
const STEPS: readonly ReductionStep[] = [
  [0, 'drop'],
  [1, 'shorten'],
  [2, 'shorten'],
  [1, 'drop'],
  [2, 'drop'],
]

function bound(messages: Dialogue): Dialogue {
  let size = messages.reduce((sum, message) => sum + sizeOf(message), 0)
  if (size <= MAX_CHARS) return messages
  const first = messages.findIndex(({ kind, text }) => kind === 'request' && isSubstantiveRequest(text))
  const left: (DialogueMessage | undefined)[] = [...messages]
  for (const [rank, action] of STEPS) {
    for (const [index, message] of left.slice(0, -NEWEST).entries()) {
      if (size <= MAX_CHARS) break
      if (message === undefined || getRank(message) !== rank || index === first) continue
      const short = action === 'drop' ? undefined : shorten(message, MAX_OLD_CHARS)
      size -= sizeOf(message) - (short === undefined ? 0 : sizeOf(short))
      left[index] = short
    }
  }
  const stay = left.filter((message) => message !== undefined)
  return size <= MAX_CHARS ? stay : stay.map((message) => shorten(message, MAX_OLD_CHARS))
}

/** The agent's last message before a request, with no tool call between. */
function isTurnFinal(message: DialogueMessage, next: DialogueMessage | undefined, tools: readonly ToolTime[]): boolean {
  if (message.kind !== 'message' || next?.kind !== 'request') return false
  return !tools.some(({ order }) => order > message.order && order < next.order)
}

/** Many answers of subagents leave the words of user and agent their room: the newest stay. */
function boundReports(messages: Dialogue): Dialogue {
  let left = MAX_REPORTS_CHARS
  const stay = new Set(
    messages.toReversed().filter((message) => {
      if (message.kind !== 'report') return true
      left -= message.text.length
      return left >= 0
    }),
  )
  return stay.size === messages.length ? messages : messages.filter((message) => stay.has(message))
}

function isSame(one: DialogueMessage, other: DialogueMessage): boolean {
  return one.speaker === other.speaker && one.text === other.text
}

const REPEATED_WITHIN = 12

/** Inserts by time: hooks report a turn's end before the transcript is read. */
function insert({ messages, toolTimes }: DialogueState, message: DialogueMessage): DialogueState {
  const { at } = message
  let place = messages.length
  if (at !== undefined) while (place > 0 && (messages[place - 1]?.at ?? '') > at) place -= 1
  const known = messages.findIndex(
    (one, index) => index >= messages.length - REPEATED_WITHIN && message.speaker === 'agent' && isSame(one, message),
  )
  const isKnown = known >= 0
  if (isKnown && message.kind !== 'turn-final') return { messages, toolTimes }
  const added = isKnown
    ? messages.map((one, index) => (index === known ? { ...one, kind: message.kind } : one))
    : messages.toSpliced(place, 0, message)
  const marked = added.map((one, index) =>
    isTurnFinal(one, added[index + 1], toolTimes) ? { ...one, kind: 'turn-final' as const } : one,
  )
  return { toolTimes, messages: bound(boundReports(marked)) }
}

function add(state: WorkState, message: Omit<DialogueMessage, 'order'>): WorkState {
  const text = clipMiddle(message.text.toWellFormed().trim(), MAX_MESSAGE_CHARS)
  if (text === '' && message.about === undefined) return state
  const dialogue = getDialogue(state)
  const { at } = message
  // Words from the transcript are folded after the tools that ran since.
  const since = at === undefined ? undefined : dialogue.toolTimes.find((tool) => tool.at > at)
  const order = since === undefined ? state.order : since.order - 0.5
  return { ...state, dialogue: insert(dialogue, { ...message, text, order }) }
}

export function withUserMessage(
  state: WorkState,
  event: Pick<EventOf<'prompt-submitted'>, 'prompt' | 'at' | 'isQueued' | 'expansion'>,
): WorkState {
  const about = event.expansion?.toWellFormed().trim() ?? ''
  return add(state, {
    speaker: 'user',
    kind: event.isQueued === true ? 'queued' : 'request',
    text: event.prompt,
    at: event.at,
    ...(about === '' ? {} : { about: clipMiddle(about, MAX_ABOUT_CHARS) }),
  })
}

export function withAgentMessage(
  state: WorkState,
  text: string,
  { at, isFinal = false }: { at?: string; isFinal?: boolean },
): WorkState {
  return add(state, {
    speaker: 'agent',
    kind: isFinal ? 'turn-final' : 'message',
    text,
    ...(at === undefined ? {} : { at }),
  })
}

/** A plan or a harness's summary replaces the one before it. */
export function withDocumentMessage(
  state: WorkState,
  kind: 'plan' | 'summary',
  { text, at }: { text: string; at?: string },
): WorkState {
  const dialogue = getDialogue(state)
  const messages = dialogue.messages.filter((message) => message.kind !== kind)
  return add(
    { ...state, dialogue: { ...dialogue, messages } },
    { speaker: 'agent', kind, text, ...(at === undefined ? {} : { at }) },
  )
}

const MAX_REFUSED_CHARS = 160

function describeRefused({ command, files, name, plan }: ToolCall): string {
  const [file] = files
  if (command !== undefined) return `running \`${clip(command, MAX_REFUSED_CHARS)}\``
  if (file !== undefined) return `${file.action === 'read' ? 'reading' : 'the edit of'} ${file.path}`
  return plan === undefined ? name : REFUSED_PLAN
}

/** What the user answered or refused, and when a tool ran. */
export function withToolWords(state: WorkState, event: EventOf<'tool-finished'>): WorkState {
  const { tool, at } = event
  const { answers = [], refused }: ToolOutcome = event.outcome
  const dialogue = getDialogue(state)
  const toolTimes = [...dialogue.toolTimes, { order: state.order, at }].slice(-MAX_TOOL_TIMES)
  let next: WorkState = { ...state, dialogue: { ...dialogue, toolTimes } }
  for (const { question, options, answer } of answers) {
    const offered = options.length === 0 ? '' : ` (${options.join(' / ')})`
    next = add(next, { speaker: 'user', kind: 'answer', text: answer, about: `${question}${offered}`, at })
  }
  const isReceipt = event.outcome.backgroundId !== undefined || tool.isBackground === true
  const report = tool.kind === 'agent' && event.outcome.ok && !isReceipt ? (event.outcome.output ?? '') : ''
  if (report.length >= MIN_REPORT_CHARS)
    next = add(next, { speaker: 'agent', kind: 'report', text: clipMiddle(report, MAX_REPORT_CHARS), at })
  if (refused?.by === 'user')
    next = add(next, { speaker: 'user', kind: 'refusal', text: refused.words ?? '', about: describeRefused(tool), at })
  return next
}
