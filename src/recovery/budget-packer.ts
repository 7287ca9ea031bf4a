import { lineCost } from '../kernel/text/fence.ts'
import type { Item, SectionKey } from './items/item.ts'
import { renderSection } from './items/render-lines.ts'
import { namesCommand } from '../checkpoint/work/fold-run.ts'
import { WEIGHTS } from '../checkpoint/work/weights.ts'

/** Sections whose files can have names behind them. */
const OPENED = ['edited', 'read'] as const

const NOT_IN_NAMES = /[^\w$]+/

/** The items chosen so far, their lines, and the room that is left. */
export interface Packing {
  readonly isChecked: boolean
  /** The order of rendering; items are chosen by value per character. */
  readonly positions: ReadonlyMap<Item, number>
  readonly chosen: Map<SectionKey, Item[]>
  readonly lines: Map<SectionKey, { readonly line: string; readonly cost: number }>
  readonly files: Set<string>
  /** Names, by the file that they are rendered behind. */
  readonly behind: Map<string, readonly Item[]>
  /** Words of the items chosen so far: a name among them is not repeated. */
  readonly words: Set<string>
  room: number
}

interface PackingOptions {
  readonly isChecked: boolean
  /** All candidates, the most important of each section first. */
  readonly candidates: readonly Item[]
  readonly room: number
}

export function createPacking({ isChecked, candidates, room }: PackingOptions): Packing {
  return {
    isChecked,
    positions: new Map(candidates.map((item, position) => [item, position])),
    chosen: new Map(),
    lines: new Map(),
    files: new Set(),
    behind: new Map(),
    words: new Set(),
    room,
  }
}

export function isName({ section }: Item): boolean {
  return section === 'identifiers'
}

function listChosen({ chosen }: Packing, section: SectionKey): readonly Item[] {
  return chosen.get(section) ?? []
}

/** A name that rendering does not change. */
const PLAIN = /^[\w$]+$/

/** The line with one more item. Names come in hundreds, and rendering the line for each would delay the session's start. */
function appendItem(packing: Packing, section: SectionKey, items: readonly Item[]) {
  const before = packing.lines.get(section)
  const last = items.at(-1)
  if (before !== undefined && last !== undefined && isName(last) && PLAIN.test(last.text))
    return { line: `${before.line} ${last.text}`, cost: before.cost + last.text.length + 1 }
  const line = renderSection(section, items, packing)
  return { line, cost: lineCost(line) }
}

/** Sets the section to these items if they fit. */
function fits(packing: Packing, section: SectionKey, items: readonly Item[]): boolean {
  const line = appendItem(packing, section, items)
  const more = line.cost - (packing.lines.get(section)?.cost ?? 0)
  if (more > packing.room) return false
  packing.room -= more
  packing.lines.set(section, line)
  return true
}

/** Adds an item if there is room and its file is not listed yet. */
export function add(packing: Packing, item: Item): void {
  const { subject } = item
  if (subject.kind === 'file' && packing.files.has(subject.path)) return
  const items = [...listChosen(packing, item.section), item]
  if (!fits(packing, item.section, items)) return
  packing.chosen.set(item.section, items)
  if (subject.kind === 'file') packing.files.add(subject.path)
  if (!isName(item)) for (const word of item.text.split(NOT_IN_NAMES)) packing.words.add(word)
}

/** Adds a name behind its file, or to the list of names if the file is not listed or has too many. */
export function addName(packing: Packing, name: Item): void {
  const file = name.subject.kind === 'identifier' ? name.subject.file : undefined
  const isOfFile = ({ subject }: Item) => subject.kind === 'file' && subject.path === file
  const section = OPENED.find((one) => listChosen(packing, one).some(isOfFile))
  const others = (file === undefined ? undefined : packing.behind.get(file)) ?? []
  if (file === undefined || section === undefined || others.length >= WEIGHTS.name.mostBehindFile)
    return add(packing, name)
  packing.behind.set(file, [...others, name])
  if (!fits(packing, section, listChosen(packing, section))) packing.behind.set(file, others)
}

/** Removes a section. Names are chosen once to weigh them against other items, and again without those that other items contain. */
export function removeSection(packing: Packing, section: SectionKey): boolean {
  const { cost = 0 } = packing.lines.get(section) ?? {}
  packing.room += cost
  packing.chosen.delete(section)
  return packing.lines.delete(section)
}

/**
 * Whether another line names the command as failed or running, with its outcome. A command with another verdict than `holds`
 * is rendered by itself.
 */
function isNamedElsewhere(packing: Packing, { section, subject, verdict = 'holds' }: Item): boolean {
  if (section !== 'commands' || subject.kind !== 'command' || verdict !== 'holds') return false
  const { command } = subject
  const isNamedBy = ({ subject: other }: Item) =>
    other.kind === 'command' || other.kind === 'test-run'
      ? other.command === command
      : other.kind === 'failed-approach' && namesCommand(other.approach, command)
  return (['running', 'failing', 'failed'] as const).some((other) => listChosen(packing, other).some(isNamedBy))
}

export function removeRepeatedCommands(packing: Packing): void {
  const commands = listChosen(packing, 'commands')
  const left = commands.filter((item) => !isNamedElsewhere(packing, item))
  if (left.length === commands.length) return
  removeSection(packing, 'commands')
  for (const item of left) add(packing, item)
}

function sortByPosition({ positions }: Packing, items: readonly Item[]): readonly Item[] {
  const getPosition = (item: Item) => positions.get(item) ?? Number.MAX_SAFE_INTEGER
  return items.toSorted((a, b) => getPosition(a) - getPosition(b))
}

/** The chosen items of a section, including names behind files. */
export function listInOrder(packing: Packing, section: SectionKey): readonly Item[] {
  const behind = section === 'identifiers' ? [...packing.behind.values()].flat() : []
  return sortByPosition(packing, [...behind, ...listChosen(packing, section)])
}

function isBehind({ behind }: Packing, item: Item): boolean {
  const file = item.subject.kind === 'identifier' ? item.subject.file : undefined
  return file !== undefined && behind.get(file)?.includes(item) === true
}

/** The line of a section, if it has one; as long as when it was packed. */
export function renderLine(packing: Packing, section: SectionKey): string | undefined {
  const items = sortByPosition(packing, listChosen(packing, section))
  const behind = new Map([...packing.behind].map(([file, names]) => [file, sortByPosition(packing, names)]))
  return items.length === 0 ? undefined : renderSection(section, items, { ...packing, behind })
}

/** Whether the item is rendered, in its own or in another line. */
export function isPacked(packing: Packing, item: Item): boolean {
  return (
    listChosen(packing, item.section).includes(item) ||
    (isName(item) && (packing.words.has(item.text) || isBehind(packing, item))) ||
    isNamedElsewhere(packing, item) ||
    (item.subject.kind === 'file' && packing.files.has(item.subject.path))
  )
}
