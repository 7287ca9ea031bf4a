import { sanitize } from '../kernel/text/fence.ts'
import type { RankedFile } from './rank/rank.ts'

interface RenderedFile {
  readonly file: RankedFile
  /** The folder of its heading; empty when its line has the whole path. */
  readonly folder: string
  readonly label: string
  readonly symbols: { text: string; line: number }[]
}

interface IndexLine {
  readonly shown: RenderedFile
  /** Undefined for the file's own line. */
  readonly symbol?: { readonly text: string; readonly line: number }
  readonly density: number
}

const INDENT = '  '
/** No budget has room for more. */
const MAX_SYMBOLS_PER_FILE = 100
const REFILLS = 3

/** Under a folder's heading the bare name is enough, unless another file has the same name. */
function shownFiles(files: readonly RankedFile[]): readonly RenderedFile[] {
  const split = files.map((file) => {
    const at = file.path.lastIndexOf('/') + 1
    return { file, folder: sanitize(file.path.slice(0, at)), name: sanitize(file.path.slice(at)) }
  })
  const times = new Map<string, number>()
  for (const { name } of split) times.set(name, (times.get(name) ?? 0) + 1)
  return split.map(({ file, folder, name }) =>
    times.get(name) === 1
      ? { file, folder, label: name, symbols: [] }
      : { file, folder: '', label: `${folder}${name}`, symbols: [] },
  )
}

function toItems(shown: RenderedFile): readonly IndexLine[] {
  const { weight, symbols } = shown.file
  return [
    { shown, density: weight / (shown.label.length + INDENT.length + 1) },
    ...symbols.slice(0, MAX_SYMBOLS_PER_FILE).flatMap(({ name, line, share }) => {
      const text = `${sanitize(name)}:${line}`
      return text.startsWith(':')
        ? []
        : [{ shown, symbol: { text, line }, density: (weight * share) / (text.length + 1) }]
    }),
  ]
}

function renderLine({ label, symbols }: Pick<RenderedFile, 'label' | 'symbols'>): string {
  if (symbols.length === 0) return label
  const inOrder = symbols.toSorted((a, b) => a.line - b.line).map(({ text }) => text)
  return `${label}: ${inOrder.join(' ')}`
}

function renderLines(group: readonly RenderedFile[]): readonly string[] {
  const headed = group.filter(({ folder }) => folder !== '')
  const whole = group.filter(({ folder }) => folder === '').map(renderLine)
  const [only] = headed
  if (only === undefined) return whole
  if (headed.length === 1) return [renderLine({ ...only, label: `${only.folder}${only.label}` }), ...whole]
  return [only.folder, ...headed.map((shown) => `${INDENT}${renderLine(shown)}`), ...whole]
}

/** Greedy by weight per character: a file's line by the file's weight, a symbol by its share of it. */
function choose(items: readonly IndexLine[], maxChars: number): readonly RenderedFile[] {
  const chosen = new Map<RenderedFile, RenderedFile>()
  const folders = new Set<string>()
  let room = maxChars
  for (const { shown, symbol } of items) {
    if (room < 4) break
    const known = chosen.get(shown)
    if (symbol === undefined && known !== undefined) continue
    const heading =
      known === undefined && shown.folder !== '' && !folders.has(shown.folder) ? shown.folder.length + 1 : 0
    const ownLine = known === undefined ? INDENT.length + shown.label.length + 1 : 0
    const separator = known === undefined || known.symbols.length === 0 ? 2 : 1
    const cost = heading + ownLine + (symbol === undefined ? 0 : separator + symbol.text.length)
    if (cost > room) continue
    room -= cost
    const entry = known ?? { ...shown, symbols: [] }
    chosen.set(shown, entry)
    if (shown.folder !== '') folders.add(shown.folder)
    if (symbol !== undefined) entry.symbols.push(symbol)
  }
  return [...chosen.values()]
}

function layOut(chosen: readonly RenderedFile[]): string {
  const groups = new Map<string, RenderedFile[]>()
  for (const shown of chosen.toSorted((a, b) => b.file.weight - a.file.weight)) {
    const folder = shown.file.path.slice(0, shown.file.path.lastIndexOf('/') + 1)
    const group = groups.get(folder)
    if (group === undefined) groups.set(folder, [shown])
    else group.push(shown)
  }
  return [...groups.values()]
    .flatMap(renderLines)
    .map((line) => `${line}\n`)
    .join('')
}

/**
 * The map in at most `maxChars`, whole lines only, the heaviest folder first. A line that ends in `/` is the heading of the indented
 * files below it; any other has a whole path. `name:line` is a definition.
 */
export function renderMap(files: readonly RankedFile[], maxChars: number): string {
  const items = shownFiles(files)
    .flatMap(toItems)
    .toSorted((a, b) => b.density - a.density)
  let best = layOut(choose(items, maxChars))
  // A folder with one file needs no heading, so some room is left: distribute it again.
  for (let round = 0, allowed = maxChars; round < REFILLS; round += 1) {
    allowed += maxChars - best.length
    const fuller = layOut(choose(items, allowed))
    if (fuller.length > maxChars || fuller.length <= best.length) break
    best = fuller
  }
  return best
}
