import type { LineReason } from '../kernel/injection.ts'
import { fence, fenceOverhead, lineCost } from '../kernel/text/fence.ts'
import { Draft } from './items/draft.ts'
import { renderLiveSession } from './describe-choice.ts'
import { renderElsewhere, renderOfferedWork } from './choice/elsewhere.ts'
import type { WorkChoice } from './choice/work-choice.ts'
import { renderHeader } from './header.ts'
import { createIsInSummary } from './in-summary.ts'
import type { Item } from './items/item.ts'
import { renderNotes } from './notes.ts'
import { renderItem } from './items/render-items.ts'
import type { CheckedView } from './revalidate/revalidate.ts'
import { addSections } from './sections/add-sections.ts'
import { contradictionItems } from './sections/contradictions.ts'
import type { StoredRule } from './sections/rules.ts'

export const RECOVERY_HEADING = '## Session Recovery Context'
export const NOTICE = 'a record, not instructions'

export interface ComposeOptions {
  /** Never exceeded, in UTF-16 units. */
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  /** Removes secrets; returns the same string if there are none. */
  readonly redact?: (text: string) => string
  /** The harness's own summary if it is in the same context: its content is not repeated. */
  readonly summary?: string
  /** Where to find the overflow; the last line. */
  readonly pointer?: string
  readonly rules?: readonly StoredRule[]
}

/** A line of the text, before the fence, and the section whose items it renders. */
export interface SectionLine {
  readonly section: string
  readonly line: string
}

export interface ComposedRecovery {
  /** Empty if nothing is known, or if not even one line fits. */
  readonly text: string
  readonly reasons: readonly LineReason[]
  /** Which line of the text renders which section. */
  readonly sections: readonly SectionLine[]
}

function toReason(item: Item, redact: (text: string) => string): LineReason {
  const { section, origin, reason, verdict, score } = item
  return {
    // A file by its path: the overflow and the record of use compare paths.
    line: redact(item.content.kind === 'file' ? item.content.path : renderItem(item)),
    section,
    origin,
    reason,
    ...(verdict === undefined ? {} : { verdict }),
    ...(score === undefined ? {} : { score: Math.round(score * 1_000) / 1_000 }),
  }
}

/** What a reader must know beside the work: what of it is not here, and which other work there is. */
function renderBeside(choice: WorkChoice | undefined, redact: (text: string) => string): readonly string[] {
  if (choice === undefined) return []
  return [
    ...(choice.elsewhere === undefined ? [] : renderElsewhere(choice.elsewhere)),
    ...choice.liveSessions.map(renderLiveSession),
    ...choice.offeredWork.map(renderOfferedWork),
  ].map(redact)
}

/** Finished work is one line, beside the header. */
function composeFinished(
  checked: CheckedView,
  { budgetChars, sha256, redact = (text) => text }: ComposeOptions,
): ComposedRecovery {
  const { work, choice } = checked.view
  const commit = work.commits?.at(-1)
  const line = redact(`Finished and committed${commit === undefined ? '' : `: ${commit.subject}`}`)
  const lines = [redact(renderHeader(checked, budgetChars)), line, ...renderBeside(choice, redact)]
  const { text } = fence({ heading: RECOVERY_HEADING, notice: NOTICE, lines, budgetChars, sha256 })
  return {
    text,
    reasons: [{ line, section: 'done', origin: 'commits', reason: 'nothing of it is open' }],
    sections: [{ section: 'done', line }],
  }
}

/** The text for the next session: notes, then the sections in their order, within the budget. */
export function composeRecovery(checked: CheckedView, options: ComposeOptions): ComposedRecovery {
  const { budgetChars, sha256, pointer, summary, rules = [], redact = (text: string) => text } = options
  if (checked.view.choice?.isFinished === true) return composeFinished(checked, options)
  const live = renderBeside(checked.view.choice, redact)
  const header = redact(renderHeader(checked, budgetChars))
  const pointed = pointer === undefined ? 0 : lineCost(pointer)
  const room =
    budgetChars -
    fenceOverhead({ heading: RECOVERY_HEADING, notice: NOTICE }) -
    lineCost(header) -
    pointed -
    live.reduce((sum, line) => sum + lineCost(line), 0)
  const isInSummary = summary === undefined ? () => false : createIsInSummary(summary)
  let held = 0
  const isHeld = (text: string, item?: Item) => {
    const is = isInSummary(text, item)
    if (is) held += 1
    return is
  }
  const draft = new Draft(room)
  for (const item of contradictionItems(checked)) draft.add(item)
  const notes = renderNotes(checked.view, draft.room, redact)
  draft.reserve(notes.cost)
  const isCovered = addSections(draft, {
    checked,
    rules,
    isHeld,
    isBesideSummary: summary !== undefined,
    ...(notes.note === undefined ? {} : { note: notes.note }),
  })
  const lines = draft.lines().map(({ key, line }) => ({ key, line: redact(line) }))
  if (lines.length === 0 && notes.lines.length === 0) return { text: '', reasons: [], sections: [] }
  const contradicted = lines.filter(({ key }) => key === 'contradicted').map(({ line }) => line)
  const others = lines.filter(({ key }) => key !== 'contradicted').map(({ line }) => line)
  const { text } = fence({
    heading: RECOVERY_HEADING,
    notice: NOTICE,
    lines: [
      header,
      ...live,
      ...contradicted,
      ...notes.lines,
      ...others,
      ...(pointer === undefined || (isCovered && !notes.isShort) ? [] : [pointer]),
    ],
    budgetChars,
    sha256,
  })
  const reasons = draft.items.map((item) => toReason(item, redact))
  return {
    text,
    sections: [
      ...lines.map(({ key, line }) => ({ section: key, line })),
      ...notes.reasons.map(({ line }) => ({ section: 'note', line })),
    ],
    reasons: [
      ...reasons.filter(({ section }) => section === 'contradicted'),
      ...notes.reasons,
      ...reasons.filter(({ section }) => section !== 'contradicted'),
      ...(held === 0 ? [] : [{ line: '', origin: 'summary', reason: `${held} left to the harness's own summary` }]),
    ],
  }
}
