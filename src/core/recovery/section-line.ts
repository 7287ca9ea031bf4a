import type { Verdict } from '../injection.ts'
import { baseName, folderOf } from '../work/paths.ts'
import type { Item, SectionKey } from './item.ts'
import { needsWholePath } from './rank-files.ts'

const LABELS: Readonly<Record<SectionKey, string>> = {
  contradicted: 'Contradicted',
  written: 'Noted by the agent',
  goal: 'Asked',
  latest: 'Also asked',
  next: 'Next',
  waiting: 'Waiting for',
  running: 'Unfinished',
  todos: 'Open todos',
  blockers: 'Blocked by',
  failing: 'Failing',
  errors: 'Errors',
  edited: 'Edited',
  read: 'Read',
  named: 'Also came up',
  commands: 'Commands',
  identifiers: 'Names in play',
  decisions: 'Decided',
  failed: 'Tried, failed',
  refs: 'Refs',
  remembers: 'Remembered',
  words: 'Last said',
}

const MARKS: Readonly<Record<Verdict, string>> = { holds: ' ✓', changed: ' ~', gone: ' ✗', 'cannot-tell': ' ?' }

interface LineContext {
  readonly shared: ReadonlySet<string>
  readonly isChecked: boolean
}

function markOf(item: Item, { isChecked }: LineContext): string {
  return isChecked && item.verdict !== undefined ? MARKS[item.verdict] : ''
}

/** `src/core: a.ts, b.ts`: the folder once for its files, in the order of its best one. */
function fileList(items: readonly Item[], context: LineContext): string {
  const folders = new Map<string, string[]>()
  const whole: string[] = []
  for (const item of items) {
    const mark = markOf(item, context)
    const folder = folderOf(item.text)
    if (folder === '' || needsWholePath(item.text, context.shared)) whole.push(`${item.text}${mark}`)
    else folders.set(folder, [...(folders.get(folder) ?? []), `${baseName(item.text)}${mark}`])
  }
  const grouped = [...folders].map(([folder, names]) =>
    names.length === 1 ? `${folder}/${names[0] ?? ''}` : `in ${folder}: ${names.join(', ')}`,
  )
  return [...grouped, ...whole].join('; ')
}

/** One labelled line for what was chosen of a section. */
export function renderSection(section: SectionKey, items: readonly Item[], context: LineContext): string {
  const label = LABELS[section]
  switch (section) {
    case 'edited':
    case 'read':
    case 'named':
      return `${label}: ${fileList(items, context)}`
    case 'commands':
    case 'identifiers':
    case 'refs':
    case 'failing':
      return `${label}: ${items.map((item) => `${item.text}${markOf(item, context)}`).join(', ')}`
    default:
      return `${label}: ${items.map((item) => item.text).join('; ')}`
  }
}
