import type { DialogueMessage, WorkSummary } from '../../kernel/checkpoint.ts'
import { baseName } from '../../kernel/paths/paths.ts'
import { clip, withoutCode } from '../../kernel/text/text.ts'
import type { Todo } from '../../kernel/event.ts'
import type { Item } from '../items/item.ts'
import { ROOMS } from '../passages/scoring.ts'
import type { SplitTalk } from '../passages/passage.ts'
import type { Talk } from '../dialogue/talk.ts'

/** A numbered heading of a plan. */
interface PlanStep {
  /** "3" or "B". */
  readonly label: string
  /** Its word in the heading: "phase". */
  readonly word?: string
  readonly title: string
}

/** `### Step 3: …`, `**3. …**`, `## Change B — …`. */
const STEP =
  /^ {0,3}(?:#{1,5} +|\*\*)(?:(step|phase|task|change|part|item|fix|stage) +)?(\d{1,2}|[A-H])(?:[.):]| [-–—])\s*(\S.*?)(?:\*\*)?:?\s*$/i
const LEAST_STEPS = 3
const MAX_TITLE_CHARS = 110

function follows(label: string, before: string | undefined): boolean {
  if (before === undefined) return /^[01A]$/i.test(label)
  if (/\d/.test(label)) return Number(label) === Number(before) + 1
  return label.toUpperCase().charCodeAt(0) === before.toUpperCase().charCodeAt(0) + 1
}

/** The steps of a plan whose headings count up without a gap; empty if they do not. */
export function listPlanSteps(text: string): readonly PlanStep[] {
  const steps: PlanStep[] = []
  for (const line of withoutCode(text).split('\n')) {
    const [, word, label, title = ''] = STEP.exec(line) ?? []
    if (label === undefined) continue
    if (!follows(label, steps.at(-1)?.label)) return []
    steps.push({
      ...(word === undefined ? {} : { word: word.toLowerCase() }),
      label,
      title: clip(title.replace(/[*`]/g, '').replace(/:+$/, ''), MAX_TITLE_CHARS),
    })
  }
  return steps.length < LEAST_STEPS ? [] : steps
}

/** What a heading with a number alone is called by. */
const PLAIN_WORDS: readonly string[] = ['step', 'change', 'part', 'item']
const NAMED = /\b(step|phase|task|change|part|item|fix|stage) +(\d{1,2}|[A-H])\b(?=[\s.:)*—–-])/gi
const STEM_CHARS = 6
const LEAST_SHARED = 2
/** So far behind its number, the words about a step are searched for its title. */
const REACH = 120

function toStems(text: string): ReadonlySet<string> {
  return new Set([...text.toLowerCase().matchAll(/[a-z_]{4,}/g)].map(([word]) => word.slice(0, STEM_CHARS)))
}

function isNamed({ label, word, title }: PlanStep, said: { word: string; label: string; words: string }): boolean {
  if (label.toUpperCase() !== said.label.toUpperCase()) return false
  if (word !== undefined) return word === said.word.toLowerCase()
  // "Step 1" may be one of the agent's own: what it says of it must be what the title says.
  const stems = toStems(title)
  return PLAIN_WORDS.includes(said.word.toLowerCase()) && [...toStems(said.words)].some((stem) => stems.has(stem))
}

/** The furthest step that the agent named: a later message may mention an earlier one. */
function findNamedStep(steps: readonly PlanStep[], messages: readonly DialogueMessage[]): number {
  const named = messages.flatMap(({ text }) =>
    [...text.matchAll(NAMED)].map(({ 1: word = '', 2: label = '', index }) =>
      steps.findIndex((step) => isNamed(step, { word, label, words: text.slice(index, index + REACH) })),
    ),
  )
  return Math.max(-1, ...named)
}

/** A finished todo says what the step says. */
function isFinished({ title }: PlanStep, todos: readonly Todo[]): boolean {
  const words = toStems(title)
  return todos.some(({ text, status }) => {
    if (status !== 'completed') return false
    const shared = [...toStems(text)].filter((word) => words.has(word)).length
    return shared >= LEAST_SHARED && shared >= words.size / 2
  })
}

function isPlanText({ message, isDocument }: SplitTalk): boolean {
  return message.kind === 'plan' || (isDocument && message.speaker === 'user')
}

/** The steps of the plan after the one that the agent named last. */
export function planStepItems(
  { talks, current, overall, isTurnOver }: Talk,
  { todos, files }: Pick<WorkSummary, 'todos' | 'files'>,
): readonly Item[] {
  const isAllDone = todos.length > 0 && todos.every(({ status }) => status === 'completed')
  if (isTurnOver || isAllDone) return []
  const plan = [overall, current].find((talk) => talk !== undefined && isPlanText(talk))
  if (plan === undefined) return []
  const steps = listPlanSteps(plan.message.text)
  const said = talks.flatMap(({ index, message }) =>
    index > plan.index && message.speaker === 'agent' && (message.kind === 'message' || message.kind === 'turn-final')
      ? [message]
      : [],
  )
  const at = findNamedStep(steps, said)
  const left = steps.slice(at + 1)
  // Todos that go further say the same, and are kept.
  const isCovered = todos.filter(({ status }) => status !== 'completed').length >= left.length
  if (at < 0 || left.length === 0 || isCovered) return []
  const edited = files.filter(({ edits, lastEditOrder = 0 }) => edits > 0 && lastEditOrder > plan.message.order)
  const isBegun = ({ title }: PlanStep) => edited.some(({ path }) => title.includes(baseName(path)))
  if (left.some((step) => isFinished(step, todos) || isBegun(step))) return []
  let room: number = ROOMS.steps
  const shown = left.filter(({ title }) => {
    room -= title.length + 5
    return room >= 0
  })
  return [
    {
      section: 'next',
      content: {
        kind: 'steps-left',
        after: steps[at]?.label ?? '',
        steps: shown.map(({ label, title }) => `${label}. ${title}`),
        isCut: shown.length < left.length,
      },
      origin: 'dialogue',
      reason: 'steps of the plan after the one that was named last',
    },
  ]
}
