import type { UserRequest, WorkSummary } from '../../kernel/checkpoint.ts'
import { readRunningCommand } from '../../checkpoint/compose-checkpoint.ts'
import { continueRequest } from '../../checkpoint/next-action.ts'
import { isSimilarText, toTermSet, isSameText } from '../../kernel/text/terms.ts'
import { clip, leadingSentences, isSubstantiveRequest } from '../../kernel/text/text.ts'
import { openTodos } from '../../checkpoint/work/plan.ts'
import type { Item, ItemSubject, SectionKey } from './item.ts'
import type { SessionState } from '../../kernel/ports/runtime.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'
import { SESSION_STATE } from './render-lines.ts'

/** A request in the user's words, or the part that fits, with what it answers if it is a short reply. */
export function quoteRequest({ answers }: UserRequest, words: string): string {
  return answers === undefined ? `"${words}"` : `"${words}", answering "${answers}"`
}

/** "Continue with the next task of the story": the plan is still current. */
const GOES_ON =
  /^(?:(?:alright|also|and|fine|good|great|let's|looks|now|ok|okay|perfect|please|so|then|thanks|yes)[\s,.:;!]{1,3}){0,4}(?:carry on|continue|go ahead|go on|implement (?:it|that|the plan|this|your plan)|keep going|proceed|resume|start implementing|(?:do |the )?next (?:one|step|story|task))\b/i

/** The title of the current plan: valid until the user requests something else. */
export function findCurrentPlan({ plan, asks }: WorkSummary): string | undefined {
  if (plan === undefined) return undefined
  const isOvertaken = asks.some(
    ({ text, order }) => order > plan.lastOrder && isSubstantiveRequest(text) && !GOES_ON.test(text.trimStart()),
  )
  return isOvertaken ? undefined : plan.text
}

const MAX_TODOS = 20
const MAX_DECISIONS = 4

function toItem(section: SectionKey, subject: ItemSubject, text: string, reason: string): Item {
  return { section, subject, text, value: WEIGHTS.section[section], origin: section, reason }
}

/** The beginning of a file that is too long. */
function stateItem({ text }: SessionState, maxChars: number): Item {
  const lead = toItem(
    'written',
    { kind: 'note', by: 'session-state' },
    `SESSION-STATE.md begins: ${leadingSentences(text, maxChars)}`,
    'written for this purpose',
  )
  return { ...lead, origin: SESSION_STATE }
}

function isSubstantial(request: UserRequest): boolean {
  return isSubstantiveRequest(request.text)
}

function planItems({ view }: CheckedView): readonly Item[] {
  const plan = findCurrentPlan(view.work)
  return plan === undefined ? [] : [toItem('plan', { kind: 'plan', title: plan }, plan, 'being carried out')]
}

/** Maximum share of the room for what a request answers; if it is longer it is left out. */
const ANSWERED_SHARE = 0.12

function withRoomFor(request: UserRequest, room: number): UserRequest {
  const isRoom = (request.answers?.length ?? 0) <= room * ANSWERED_SHARE
  return isRoom ? request : { ...request, answers: undefined }
}

function requestItems({ view }: CheckedView, room: number): readonly Item[] {
  const asks = view.work.asks.toSorted((a, b) => a.order - b.order).map((request) => withRoomFor(request, room))
  const latest = asks.at(-1)
  if (latest === undefined) return []
  const current = asks.findLast(isSubstantial) ?? latest
  const first = asks.find(isSubstantial) ?? asks[0]
  const goal = leadingSentences(current.text, room * WEIGHTS.room.goal)
  const items = [
    toItem(
      'goal',
      { kind: 'request', request: current },
      quoteRequest(current, goal),
      'the newest ask that says what for',
    ),
  ]
  if (first !== undefined && first !== current) {
    const began = leadingSentences(first.text, room * WEIGHTS.room.firstAsk)
    items.push(toItem('latest', { kind: 'request', request: first }, `first "${began}"`, 'what the session began with'))
  }
  if (latest !== current) {
    const item = toItem(
      'latest',
      { kind: 'request', request: latest },
      `last ${quoteRequest(latest, clip(latest.text, 80))}`,
      "the user's latest word",
    )
    items.push(latest.answers === undefined ? item : { ...item, value: WEIGHTS.section.answer })
  }
  return items
}

function todoItems({ view }: CheckedView): readonly Item[] {
  return openTodos(view.work.todos)
    .slice(0, MAX_TODOS)
    .map((todo, rank) => ({
      section: 'todos',
      subject: { kind: 'todo', todo },
      text: `${todo.status === 'in_progress' ? '(in progress) ' : ''}${todo.id === undefined ? '' : `#${todo.id} `}${clip(todo.text, 100)}`,
      value: WEIGHTS.section.todos * 0.5 ** (rank / 8),
      origin: 'todos',
      reason: todo.status,
    }))
}

function nextItems({ view }: CheckedView): readonly Item[] {
  const items: Item[] = []
  const isTodo = view.work.todos.some((todo) => todo.text === view.nextAction)
  const { nextAction } = view
  const isRequest = view.work.asks.some(({ text }) => continueRequest(text) === nextAction)
  // Leave out a next action that repeats a line above.
  if (nextAction !== undefined && !isTodo && !isRequest)
    items.push(
      toItem('next', { kind: 'next-action', action: nextAction }, clip(nextAction, 300), 'written as the next action'),
    )
  if (view.waitOrContinue === 'wait' && view.waitingFor !== undefined) {
    const { waitingFor } = view
    items.push(
      toItem('waiting', { kind: 'waiting', waitingFor }, clip(waitingFor, 220), 'the session stopped for the user'),
    )
  }
  if (view.resumeInstructions !== undefined) {
    const command = readRunningCommand(view.resumeInstructions)
    items.push(
      toItem('running', { kind: 'command', command, status: 'running' }, clip(command, 160), 'begun, never finished'),
    )
  }
  return items
}

/** Of two decisions about the same thing the earlier one is marked, because they may be rendered in any order. */
function decisionItems({ view }: CheckedView): readonly Item[] {
  const records = view.work.decisions.slice(-MAX_DECISIONS).toReversed()
  const termSets = records.map(({ decision }) => toTermSet(decision))
  return records.map((record, index) => {
    const { decision, rationale, evidence } = record
    const terms = toTermSet(decision)
    const isOvertaken = termSets
      .slice(0, index)
      .some((later) => isSimilarText(later, terms) && !isSameText(later, terms))
    const why = rationale === undefined ? '' : ` because ${clip(rationale, 90)}`
    const marks = `${evidence === 'claimed' ? ' (claimed)' : ''}${isOvertaken ? ' (earlier)' : ''}`
    const subject = { kind: 'decision', decision: record } as const
    return toItem('decisions', subject, `${clip(decision, 130)}${why}${marks}`, `decision, ${evidence}`)
  })
}

/** Requests, plans, decisions and statements, which cannot be checked against the disk. */
export function rankStatements(checked: CheckedView, room: number): readonly Item[] {
  const { view } = checked
  const { work } = view
  const contradicted = (work.claims ?? []).filter((claim) => claim.contradictedBy !== undefined)
  // What failed may succeed on another commit.
  const onAnotherCommit = checked.head === 'changed' ? { verdict: 'changed' as const } : {}
  return [
    ...contradicted.map((claim) =>
      toItem(
        'contradicted',
        { kind: 'contradiction' },
        `the agent said "${clip(claim.text, 100)}", but ${claim.contradictedBy ?? ''}`,
        'a claim that was seen to be false',
      ),
    ),
    ...(view.written === undefined
      ? []
      : [
          toItem(
            'written',
            { kind: 'note', by: 'agent' },
            leadingSentences(view.written.summary, room * 0.3),
            'written for this purpose',
          ),
        ]),
    ...(view.sessionState === undefined ? [] : [stateItem(view.sessionState, room * 0.3)]),
    ...requestItems(checked, room),
    ...planItems(checked),
    ...nextItems(checked),
    ...todoItems(checked),
    ...work.blockers
      .slice(-3)
      .map((blocker) => toItem('blockers', { kind: 'blocker', blocker }, clip(blocker, 140), 'said to be in the way')),
    ...decisionItems(checked),
    ...work.failedApproaches
      .slice(-3)
      .toReversed()
      .map((approach) => ({
        ...toItem('failed', { kind: 'failed-approach', approach }, clip(approach, 150), 'tried and failed'),
        ...onAnotherCommit,
      })),
    ...work.refs
      .slice(-4)
      .toReversed()
      .map((reference) => toItem('refs', { kind: 'reference', reference }, reference, 'reference')),
    ...view.remembers
      .slice(-2)
      .map((content) =>
        toItem('remembers', { kind: 'memory', content }, clip(content, 120), 'remembered in that session'),
      ),
  ]
}
