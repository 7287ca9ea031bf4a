import { clipBlocker, clipStatement } from '../../checkpoint/work/fold-digest.ts'
import type { Item } from '../items/item.ts'
import type { CarriedNote } from '../merge/merge-checkpoints.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { doingItems } from './activity.ts'
import { checkItems } from './checks.ts'
import { commandItems } from './commands.ts'
import { decisionItems } from './decisions.ts'
import { commitItems } from './done.ts'
import { fileItems } from './files.ts'
import { inFlightItems } from './in-flight.ts'
import { lessonItems } from './lessons.ts'
import { mergeItems } from './merge.ts'
import type { Talk } from '../dialogue/talk.ts'
import { taskItems } from './tasks.ts'

/** The same error under another spelling of the command. */
function isSameReason({ content }: Item, lesson: Item): boolean {
  if (content.kind !== 'text' || lesson.content.kind !== 'text') return false
  const [, reason = lesson.content.text] = lesson.content.text.split('`: ')
  return content.text.includes(reason)
}

/** What was observed: steps, checks, commits, todos, files. */
export function listObserved({ view, ...checked }: CheckedView, talk: Talk): readonly Item[] {
  const { work } = view
  const checks = checkItems(work)
  const isCheck = (what: string) =>
    checks.some(({ content }) => content.kind === 'check' && what.includes(content.run.command))
  const decisions = decisionItems(view)
  const doing = doingItems(work, talk, isCheck)
  const isDoingSaid = doing.some(({ content }) => content.kind === 'activity') || talk.announced !== undefined
  const inFlight = inFlightItems({ ...checked, view }, isDoingSaid)
  return [
    ...doing,
    ...inFlight,
    ...mergeItems({ ...checked, view }),
    ...checks,
    ...commandItems(work, [...checks, ...inFlight]),
    ...commitItems(work),
    ...taskItems(work, talk),
    ...decisions,
    ...lessonItems(work, isCheck).filter((lesson) => !decisions.some((item) => isSameReason(item, lesson))),
    ...fileItems({ ...checked, view }),
  ]
}

/** What the note says word by word is not said again. */
export function createIsNoted(note: CarriedNote | undefined): (item: Item) => boolean {
  if (note === undefined) return () => false
  const decisions = new Set(note.decisions.map(({ decision }) => clipStatement(decision)))
  const blockers = new Set(note.blockers.map(clipBlocker))
  return ({ content }) =>
    (content.kind === 'decision' && decisions.has(content.decision.decision)) ||
    (content.kind === 'blocker' && blockers.has(content.text))
}
