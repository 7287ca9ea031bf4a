import { type ItemMatch, findItem, type MarkStatus } from '../../kernel/checklist.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { detectHabit, markerFor } from './parse.ts'
import { type ParsedItem, parseChecklist } from './parse.ts'

export interface MarkedText {
  /** The text with the one marker changed, and every other byte as it was. */
  readonly text: string
  /** After the change. */
  readonly item: ParsedItem
  readonly before: ParsedItem
  readonly isChanged: boolean
}

function describeItems(items: readonly ParsedItem[]): string {
  return items.map((item) => `${item.id} ${JSON.stringify(item.text)} (line ${item.line})`).join('; ')
}

/** Refuses a name that matches no item or several, and names the closest. */
export function getItem(items: readonly ParsedItem[], wanted: string): ParsedItem {
  const found: ItemMatch<ParsedItem> = findItem(wanted, items)
  switch (found.kind) {
    case 'one':
      return found.item
    case 'many':
      throw new HoldfastError('conflict', `${JSON.stringify(wanted)} matches ${found.items.length} items.`, {
        hint: `Name one by its id: ${describeItems(found.items.slice(0, 5))}.`,
      })
    case 'none':
      throw new HoldfastError('not-found', `No item matches ${JSON.stringify(wanted)}.`, {
        hint:
          found.closest.length === 0
            ? `The checklist has ${items.length} items; \`holdfast checklist\` shows them.`
            : `Closest: ${describeItems(found.closest)}.`,
      })
  }
}

function isSameButFor(line: number, before: readonly ParsedItem[], after: readonly ParsedItem[]): boolean {
  return (
    before.length === after.length &&
    before.every((item, n) => {
      const now = after[n]
      return (
        now !== undefined &&
        now.line === item.line &&
        now.id === item.id &&
        (item.line === line || now.status === item.status)
      )
    })
  )
}

/** Changes one item's marker. Refuses an edit that would change any other item. */
export function markItem(text: string, wanted: string, status: MarkStatus): MarkedText {
  const items = parseChecklist(text)
  const before = getItem(items, wanted)
  if (before.status === status) return { text, item: before, before, isChanged: false }
  const { marker, markerStart } = before
  const written = markerFor(status, marker.style, detectHabit(items.map((item) => item.marker.written)))
  const end = markerStart + marker.written.length
  const gap = /^[ \t]/.test(text.slice(end, end + 1)) ? '' : ' '
  const edited = `${text.slice(0, markerStart)}${written}${gap}${text.slice(end)}`
  const after = parseChecklist(edited)
  const item = after.find((candidate) => candidate.line === before.line)
  if (item?.status !== status || !isSameButFor(before.line, items, after))
    throw new HoldfastError(
      'unsupported',
      `Line ${before.line} cannot be marked ${status} without changing what the lines around it mean.`,
      { hint: 'Edit that line by hand: write it as `- [ ] text` on its own line.' },
    )
  return { text: edited, item, before, isChanged: true }
}
