import type { Ask } from '../../kernel/checkpoint.ts'
import { WAS_RUNNING } from '../../checkpoint/compose-checkpoint.ts'
import { isSameMatter, matterOf, saysTheSame } from '../../kernel/text/text-similarity.ts'
import { clip, leadingSentences, saysWhatFor } from '../../kernel/text/text.ts'
import { openTodos } from '../../checkpoint/work/todos.ts'
import { currentPlan } from './current-plan.ts'
import type { Item, SectionKey } from './item.ts'
import type { SessionState } from '../../kernel/ports/runtime.ts'
import { quotedAsk } from './quoted-request.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'
import { SESSION_STATE } from './note-lines.ts'

const MAX_TODOS = 20
const MAX_DECISIONS = 4

function said(section: SectionKey, text: string, reason: string): Item {
  return { section, text, value: WEIGHTS.section[section], origin: section, reason }
}

/** Of a file that is too long to be told whole. */
function stateItem({ text }: SessionState, maxChars: number): Item {
  const lead = said(
    'written',
    `SESSION-STATE.md begins: ${leadingSentences(text, maxChars)}`,
    'written for this purpose',
  )
  return { ...lead, origin: SESSION_STATE }
}

function isSubstantial(ask: Ask): boolean {
  return saysWhatFor(ask.text)
}

function planItems({ view }: CheckedView): readonly Item[] {
  const plan = currentPlan(view.work)
  return plan === undefined ? [] : [said('plan', plan, 'being carried out')]
}

/** What an ask answers may take this share of the room; with less, the ask stands alone. */
const ANSWERED_SHARE = 0.12

function withRoomFor(ask: Ask, room: number): Ask {
  const isRoom = (ask.answers?.length ?? 0) <= room * ANSWERED_SHARE
  return isRoom ? ask : { ...ask, answers: undefined }
}

function askItems({ view }: CheckedView, room: number): readonly Item[] {
  const asks = view.work.asks.toSorted((a, b) => a.order - b.order).map((ask) => withRoomFor(ask, room))
  const latest = asks.at(-1)
  if (latest === undefined) return []
  const current = asks.findLast(isSubstantial) ?? latest
  const first = asks.find(isSubstantial) ?? asks[0]
  const goal = leadingSentences(current.text, room * WEIGHTS.room.goal)
  const items = [said('goal', quotedAsk(current, goal), 'the newest ask that says what for')]
  if (first !== undefined && first !== current) {
    const began = leadingSentences(first.text, room * WEIGHTS.room.firstAsk)
    items.push(said('latest', `first "${began}"`, 'what the session began with'))
  }
  if (latest !== current) {
    const item = said('latest', `last ${quotedAsk(latest, clip(latest.text, 80))}`, "the user's latest word")
    items.push(latest.answers === undefined ? item : { ...item, value: WEIGHTS.section.answer })
  }
  return items
}

function todoItems({ view }: CheckedView): readonly Item[] {
  return openTodos(view.work.todos)
    .slice(0, MAX_TODOS)
    .map((todo, rank) => ({
      section: 'todos',
      text: `${todo.status === 'in_progress' ? '(in progress) ' : ''}${todo.id === undefined ? '' : `#${todo.id} `}${clip(todo.text, 100)}`,
      value: WEIGHTS.section.todos * 0.5 ** (rank / 8),
      origin: 'todos',
      reason: todo.status,
    }))
}

function outlookItems({ view }: CheckedView): readonly Item[] {
  const items: Item[] = []
  const isTodo = view.work.todos.some((todo) => todo.text === view.nextAction)
  const isAsk = view.nextAction?.startsWith('Go on with: ') === true
  // A next action that only repeats a line above is not worth saying twice.
  if (view.nextAction !== undefined && !isTodo && !isAsk)
    items.push(said('next', clip(view.nextAction, 300), 'written as the next action'))
  if (view.waitOrContinue === 'wait' && view.waitingFor !== undefined) {
    items.push(said('waiting', clip(view.waitingFor, 220), 'the session stopped for the user'))
  }
  if (view.resumeInstructions !== undefined)
    items.push(said('running', clip(view.resumeInstructions.replace(WAS_RUNNING, ''), 160), 'begun, never finished'))
  return items
}

/** Of two about the same thing the later one stands, and the earlier one is called so: they may be told in any order. */
function decisionItems({ view }: CheckedView): readonly Item[] {
  const records = view.work.decisions.slice(-MAX_DECISIONS).toReversed()
  const matters = records.map(({ decision }) => matterOf(decision))
  return records.map(({ decision, rationale, evidence }, index) => {
    const matter = matterOf(decision)
    const isOvertaken = matters
      .slice(0, index)
      .some((later) => isSameMatter(later, matter) && !saysTheSame(later, matter))
    const why = rationale === undefined ? '' : ` because ${clip(rationale, 90)}`
    const marks = `${evidence === 'claimed' ? ' (claimed)' : ''}${isOvertaken ? ' (earlier)' : ''}`
    return said('decisions', `${clip(decision, 130)}${why}${marks}`, `decision, ${evidence}`)
  })
}

/** What was asked, promised, decided and said: things that no disk can check. */
export function saidItems(checked: CheckedView, room: number): readonly Item[] {
  const { view } = checked
  const { work } = view
  const contradicted = (work.claims ?? []).filter((claim) => claim.contradictedBy !== undefined)
  // What failed may go well by now.
  const onAnotherCommit = checked.head === 'changed' ? { verdict: 'changed' as const } : {}
  return [
    ...contradicted.map((claim) =>
      said(
        'contradicted',
        `the agent said "${clip(claim.text, 100)}", but ${claim.contradictedBy ?? ''}`,
        'a claim that was seen to be false',
      ),
    ),
    ...(view.written === undefined
      ? []
      : [said('written', leadingSentences(view.written.summary, room * 0.3), 'written for this purpose')]),
    ...(view.sessionState === undefined ? [] : [stateItem(view.sessionState, room * 0.3)]),
    ...askItems(checked, room),
    ...planItems(checked),
    ...outlookItems(checked),
    ...todoItems(checked),
    ...work.blockers.slice(-3).map((blocker) => said('blockers', clip(blocker, 140), 'said to be in the way')),
    ...decisionItems(checked),
    ...work.failedApproaches
      .slice(-3)
      .toReversed()
      .map((text) => ({ ...said('failed', clip(text, 150), 'tried and failed'), ...onAnotherCommit })),
    ...work.refs
      .slice(-4)
      .toReversed()
      .map((ref) => said('refs', ref, 'reference')),
    ...view.remembers.slice(-2).map((text) => said('remembers', clip(text, 120), 'remembered in that session')),
  ]
}
