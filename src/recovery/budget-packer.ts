import { lineCost } from '../kernel/text/fence.ts'
import type { Item, SectionKey } from './items/item.ts'
import { renderSection } from './items/section-line.ts'
import { WEIGHTS } from '../checkpoint/work/weights.ts'

/** Two of them may have the same file: one that was read, and that somebody has changed since. */
const FILES: ReadonlySet<SectionKey> = new Set<SectionKey>(['edited', 'uncommitted', 'read', 'named'])

/** Of the files in these it is known what was worked on. */
const OPENED = ['edited', 'read'] as const

/** Their sentences name commands. */
const BESIDE_COMMANDS = ['failing', 'failed'] as const

const NOT_IN_NAMES = /[^\w$]+/

/** What was chosen so far, the lines that tell it, and the room that is left. */
export interface Fitting {
  readonly isChecked: boolean
  /** Where an item stands among its like, whatever its length: what is chosen by worth per character is told in this order. */
  readonly places: ReadonlyMap<Item, number>
  readonly chosen: Map<SectionKey, Item[]>
  readonly lines: Map<SectionKey, { readonly line: string; readonly cost: number }>
  readonly files: Set<string>
  /** Names, by the file that they are told behind. */
  readonly behind: Map<string, readonly Item[]>
  /** Words of the sentences and lists chosen so far: a name among them is in play there already. */
  readonly told: Set<string>
  room: number
}

interface Begun {
  readonly isChecked: boolean
  /** All that could be told, the most important of each section first. */
  readonly candidates: readonly Item[]
  readonly room: number
}

export function emptyFitting({ isChecked, candidates, room }: Begun): Fitting {
  return {
    isChecked,
    places: new Map(candidates.map((item, place) => [item, place])),
    chosen: new Map(),
    lines: new Map(),
    files: new Set(),
    behind: new Map(),
    told: new Set(),
    room,
  }
}

export function isName({ section }: Item): boolean {
  return section === 'identifiers'
}

function chosenOf({ chosen }: Fitting, section: SectionKey): readonly Item[] {
  return chosen.get(section) ?? []
}

/** Nothing in it is told otherwise than it stands. */
const PLAIN = /^[\w$]+$/

/** The line with one more. Names come in hundreds, and taking a line apart for each takes time that a session's start waits for. */
function withMore(fitting: Fitting, section: SectionKey, items: readonly Item[]) {
  const before = fitting.lines.get(section)
  const last = items.at(-1)
  if (before !== undefined && last !== undefined && isName(last) && PLAIN.test(last.text))
    return { line: `${before.line} ${last.text}`, cost: before.cost + last.text.length + 1 }
  const line = renderSection(section, items, fitting)
  return { line, cost: lineCost(line) }
}

/** Whether the section, told by these items, still fits; if so it is. */
function fits(fitting: Fitting, section: SectionKey, items: readonly Item[]): boolean {
  const told = withMore(fitting, section, items)
  const more = told.cost - (fitting.lines.get(section)?.cost ?? 0)
  if (more > fitting.room) return false
  fitting.room -= more
  fitting.lines.set(section, told)
  return true
}

/** Adds what there is room for and what is not told yet. */
export function add(fitting: Fitting, item: Item): void {
  if (FILES.has(item.section) && fitting.files.has(item.text)) return
  const items = [...chosenOf(fitting, item.section), item]
  if (!fits(fitting, item.section, items)) return
  fitting.chosen.set(item.section, items)
  if (FILES.has(item.section)) fitting.files.add(item.text)
  if (!isName(item)) for (const word of item.text.split(NOT_IN_NAMES)) fitting.told.add(word)
}

/** A name says most behind the file that it was worked on in; one too many there stands with those that have no such file. */
export function addName(fitting: Fitting, name: Item): void {
  const { file } = name
  const section = OPENED.find((one) => chosenOf(fitting, one).some(({ text }) => text === file))
  const others = (file === undefined ? undefined : fitting.behind.get(file)) ?? []
  if (file === undefined || section === undefined || others.length >= WEIGHTS.name.mostBehindFile)
    return add(fitting, name)
  fitting.behind.set(file, [...others, name])
  if (!fits(fitting, section, chosenOf(fitting, section))) fitting.behind.set(file, others)
}

/** Takes a section back. Names are chosen once to weigh them against the rest, and again without those that the rest tells. */
export function forget(fitting: Fitting, section: SectionKey): boolean {
  const { cost = 0 } = fitting.lines.get(section) ?? {}
  fitting.room += cost
  fitting.chosen.delete(section)
  return fitting.lines.delete(section)
}

/**
 * Whether a command stands in another line, as what failed or was running; how it ended is said there. One whose script has
 * gone or cannot be told of says more by itself.
 */
function isBeside(fitting: Fitting, { section, text, verdict = 'holds' }: Item): boolean {
  if (section !== 'commands' || verdict !== 'holds') return false
  const command = text.slice(0, text.lastIndexOf('`') + 1)
  // What was running is told as it is, without quotes.
  const isRunning = chosenOf(fitting, 'running').some((item) => item.text === command.slice(1, -1))
  return isRunning || BESIDE_COMMANDS.some((other) => fitting.lines.get(other)?.line.includes(command) === true)
}

/** They are not told a second time. */
export function leaveOutToldCommands(fitting: Fitting): void {
  const commands = chosenOf(fitting, 'commands')
  const left = commands.filter((item) => !isBeside(fitting, item))
  if (left.length === commands.length) return
  forget(fitting, 'commands')
  for (const item of left) add(fitting, item)
}

function inPlace({ places }: Fitting, items: readonly Item[]): readonly Item[] {
  const placeOf = (item: Item) => places.get(item) ?? Number.MAX_SAFE_INTEGER
  return items.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** What was chosen of a section, wherever it is told. */
export function chosenFrom(fitting: Fitting, section: SectionKey): readonly Item[] {
  const behind = section === 'identifiers' ? [...fitting.behind.values()].flat() : []
  return inPlace(fitting, [...behind, ...chosenOf(fitting, section)])
}

function isBehind({ behind }: Fitting, item: Item): boolean {
  return item.file !== undefined && behind.get(item.file)?.includes(item) === true
}

/** The line of a section, if it has one: as long as while it was fitted, whatever the order. */
export function lineOf(fitting: Fitting, section: SectionKey): string | undefined {
  const items = inPlace(fitting, chosenOf(fitting, section))
  const behind = new Map([...fitting.behind].map(([file, names]) => [file, inPlace(fitting, names)]))
  return items.length === 0 ? undefined : renderSection(section, items, { ...fitting, behind })
}

/** What stands in another line is not left out. */
export function isSaid(fitting: Fitting, item: Item): boolean {
  return (
    chosenOf(fitting, item.section).includes(item) ||
    (isName(item) && (fitting.told.has(item.text) || isBehind(fitting, item))) ||
    isBeside(fitting, item) ||
    (FILES.has(item.section) && fitting.files.has(item.text))
  )
}
