import { clip } from '../../kernel/text/text.ts'
import { ageOf } from '../../kernel/text/age.ts'
import type { SectionDraft } from './layout.ts'
import type { ChecklistItem, ChecklistStatus, ChecklistView } from '../ports.ts'

const LINE_CHARS = 300
const MAX_PENDING = 15
const MAX_DETAIL_LINES = 60

function countOf(items: readonly ChecklistItem[], status: ChecklistStatus): number {
  return items.filter((item) => item.status === status).length
}

function itemLine(item: ChecklistItem): string {
  const note = item.note === undefined ? '' : ` (note: ${item.note})`
  return clip(`${item.status}: ${item.text}${note} [${item.section}, line ${item.line}, id ${item.id}]`, LINE_CHARS)
}

export function checklistSection(view: ChecklistView | undefined, now: string): SectionDraft {
  const shared = { name: 'checklist', title: 'CHECKLIST Status (single source of truth)', weight: 26 } as const
  if (view === undefined) return { ...shared, origin: 'no CHECKLIST.md in the project root', notes: [], lines: [] }
  const { items, discrepancies } = view
  const of = (status: ChecklistStatus) => items.filter((item) => item.status === status)
  const pending = of('pending')
  const more = pending.length - MAX_PENDING
  return {
    ...shared,
    origin: `from CHECKLIST.md, last written ${ageOf(view.modifiedAt, now)}`,
    asOf: view.modifiedAt,
    notes: [
      `Total: ${items.length} items | ${countOf(items, 'verified')} verified | ${countOf(items, 'done')} done | ${countOf(items, 'in_progress')} in progress | ${countOf(items, 'blocked')} blocked | ${pending.length} pending`,
      ...(discrepancies.length === 0
        ? []
        : [
            `${discrepancies.length} ticked item${discrepancies.length === 1 ? '' : 's'} (marked "! discrepancy") did not hold when looked at.`,
          ]),
    ],
    lines: [
      ...discrepancies.map(({ text, because }) =>
        clip(`! discrepancy: "${text}" is ticked, but ${because}`, LINE_CHARS),
      ),
      ...of('in_progress').map(itemLine),
      ...of('blocked').map(itemLine),
      ...pending.slice(0, MAX_PENDING).map(itemLine),
      ...(more > 0 ? [`and ${more} more pending: call get_checklist`] : []),
    ],
  }
}

/** What is being worked on, else what comes next. */
function currentItems({ items }: ChecklistView): readonly ChecklistItem[] {
  const started = items.filter((item) => item.status === 'in_progress')
  return started.length > 0 ? started : items.filter((item) => item.status === 'pending').slice(0, 1)
}

/** The item's own lines of the file: itself and what stands under it, up to the next box or heading. */
function detailLines(item: ChecklistItem, fileLines: readonly string[]): readonly string[] {
  const rest = fileLines.slice(item.line)
  const end = rest.findIndex(
    (line) => /^#{1,6}\s/.test(line) || /^\s*(?:[-*+]|\d+[.)])\s+(?:\[.{1,2}\]\s|✅)/u.test(line),
  )
  return rest
    .slice(0, Math.min(MAX_DETAIL_LINES, end < 0 ? rest.length : end))
    .filter((line) => line.trim() !== '')
    .map((line) => clip(line, LINE_CHARS))
}

/** After a compaction while coding: nothing but the task. */
export function taskSection(view: ChecklistView, fileText: string, now: string): SectionDraft {
  const fileLines = fileText.split('\n')
  const current = currentItems(view)
  const doubted = view.discrepancies.filter(({ itemId }) => current.some((item) => item.id === itemId))
  return {
    name: 'task',
    title: 'Current task',
    origin: `from CHECKLIST.md, last written ${ageOf(view.modifiedAt, now)}`,
    asOf: view.modifiedAt,
    notes:
      current.length === 0
        ? ['No item is in progress or pending: say so, and ask what is next.']
        : [
            'You are in the CODE phase after a compaction: continue this task, do not re-explore. CHECKLIST.md holds the rest.',
          ],
    lines: [
      ...doubted.map(({ because }) => clip(`! discrepancy: ${because}`, LINE_CHARS)),
      ...current.flatMap((item) => [itemLine(item), ...detailLines(item, fileLines)]),
    ],
    weight: 1,
  }
}
