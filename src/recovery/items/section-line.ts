import type { Verdict } from '../../kernel/injection.ts'
import type { Item, SectionKey } from './item.ts'

const LABELS: Readonly<Record<SectionKey, string>> = {
  contradicted: 'Contradicted',
  written: 'Noted by the agent',
  goal: 'Asked',
  latest: 'Also',
  plan: 'Plan',
  next: 'Next',
  waiting: 'Waiting for',
  running: 'Unfinished',
  todos: 'Todos',
  blockers: 'Blocked by',
  failing: 'Failing',
  errors: 'Errors',
  edited: 'Edited',
  uncommitted: 'Uncommitted',
  read: 'Read',
  named: 'Mentioned',
  commands: 'Commands',
  identifiers: 'Names',
  decisions: 'Decided',
  failed: 'Tried, failed',
  refs: 'Refs',
  remembers: 'Remembered',
  words: 'Last said',
}

const MARKS: Readonly<Record<Verdict, string>> = { holds: ' ✓', changed: ' ~', gone: ' ✗', 'cannot-tell': ' ?' }

export function markOf(verdict: Verdict): string {
  return MARKS[verdict]
}

function marked(item: Item, isChecked: boolean): string {
  if (!isChecked || item.verdict === undefined) return item.text
  return `${item.text}${MARKS[item.verdict]}${item.movedTo === undefined ? '' : ` now ${item.movedTo}`}`
}

const LISTS: ReadonlySet<SectionKey> = new Set<SectionKey>([
  'edited',
  'uncommitted',
  'read',
  'named',
  'commands',
  'identifiers',
  'refs',
])

/** Whether a section lists names rather than sentences. */
export function isList(section: SectionKey): boolean {
  return LISTS.has(section)
}

interface Telling {
  /** Marks only where something could be checked. */
  readonly isChecked: boolean
  /** Names that are told behind a file. */
  readonly behind?: ReadonlyMap<string, readonly Item[]>
}

function namesBehind({ text }: Item, { behind }: Telling): string {
  const names = behind?.get(text) ?? []
  return names.length === 0 ? '' : ` (${names.map((name) => name.text).join(' ')})`
}

/** One labelled line for what was chosen of a section. */
export function renderSection(section: SectionKey, items: readonly Item[], telling: Telling): string {
  const separator = section === 'identifiers' ? ' ' : LISTS.has(section) ? ', ' : '; '
  const told = items.map((item) => `${marked(item, telling.isChecked)}${namesBehind(item, telling)}`)
  return `${LABELS[section]}: ${told.join(separator)}`
}
