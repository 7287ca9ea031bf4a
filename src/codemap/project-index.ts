import { createHash } from 'node:crypto'
import { VERSION } from '../platform/version.ts'
import type { RankedFile } from './rank.ts'
import { renderMap } from './render.ts'
import type { Scan } from './scan.ts'
import type { CodeSymbol, SymbolKind } from './symbol.ts'

export const INDEX_MARKDOWN = 'PROJECT_INDEX.md'
export const INDEX_JSON = 'PROJECT_INDEX.json'
/** About 3,000 tokens. */
export const DEFAULT_MAX_CHARS = 12_000
export const MIN_MAX_CHARS = 1_000

/** Past these the pair would be a burden to the repository that it describes. */
const MAX_JSON_FILES = 5_000
const MAX_JSON_SYMBOLS = 20_000

export interface IndexMeta {
  /** The same in both files. */
  readonly generated: string
  /** SHA-256 of the Markdown with `\n` line ends: tells which one this belongs to, and whether it is as it was written. */
  readonly markdown: string
  readonly tool: string
  readonly head?: string
  readonly branch?: string
  /** Of the project, not only of what is listed. */
  readonly files: number
  readonly symbols: number
}

export interface ProjectIndex {
  readonly markdown: string
  readonly json: string
  readonly meta: IndexMeta
}

export interface ComposeInput {
  readonly scan: Pick<Scan, 'files' | 'head' | 'branch' | 'skipped'>
  readonly ranked: readonly RankedFile[]
  readonly generated: string
  readonly maxChars: number
}

export function markdownHash(markdown: string): string {
  return createHash('sha256').update(markdown.replaceAll('\r\n', '\n')).digest('hex')
}

const number = (value: number) => value.toLocaleString('en-US')

function headingOf({ scan, generated }: ComposeInput, symbols: number): string {
  const commit = scan.head === undefined ? '' : `Commit: ${scan.head.slice(0, 12)}\n`
  const skipped = scan.skipped === 0 ? '' : `, ${number(scan.skipped)} too large or too many to read`
  return `# Project index

Generated: ${generated}
${commit}Source files: ${number(scan.files.length)}, definitions: ${number(symbols)}${skipped}

Most important first: by recent changes, uncommitted work and references. A line that ends in / heads the files under it; name:line is a definition. Written by \`holdfast index\`: read it, do not regenerate it within a task.

\`\`\`text
`
}

/** The map with its heading, in at most `maxChars`. */
export function composeMarkdown(input: ComposeInput): string {
  const symbols = input.scan.files.reduce((sum, { definitions }) => sum + definitions.length, 0)
  const heading = headingOf(input, symbols)
  const end = '```\n'
  return `${heading}${renderMap(input.ranked, Math.max(0, input.maxChars - heading.length - end.length))}${end}`
}

function jsonOf(meta: IndexMeta, ranked: readonly RankedFile[]): string {
  let room = MAX_JSON_SYMBOLS
  const lines = ranked.slice(0, MAX_JSON_FILES).map(({ path, weight, symbols }) => {
    const kept = symbols.slice(0, room)
    room -= kept.length
    return JSON.stringify({
      path,
      weight: Number(weight.toPrecision(3)),
      symbols: kept.map(({ name, kind, line }): [string, SymbolKind, number] => [name, kind, line]),
    })
  })
  return `{\n"meta": ${JSON.stringify(meta, undefined, 2)},\n"files": [\n${lines.join(',\n')}\n]\n}\n`
}

/** Both files of the pair: one ranking, the Markdown to be read, the JSON to be asked. */
export function composeIndex(input: ComposeInput): ProjectIndex {
  const { scan, ranked, generated } = input
  const markdown = composeMarkdown(input)
  const meta: IndexMeta = {
    generated,
    markdown: markdownHash(markdown),
    tool: `holdfast ${VERSION}`,
    ...(scan.head !== undefined && { head: scan.head }),
    ...(scan.branch !== undefined && { branch: scan.branch }),
    files: scan.files.length,
    symbols: scan.files.reduce((sum, { definitions }) => sum + definitions.length, 0),
  }
  return { markdown, json: jsonOf(meta, ranked), meta }
}

export function symbolsIn(files: readonly IndexedFile[]): readonly CodeSymbol[] {
  return files.flatMap(({ path, symbols }) =>
    symbols.map(([name, type, line]): CodeSymbol => ({ name, type, file: path, line })),
  )
}

export interface IndexedFile {
  readonly path: string
  readonly symbols: readonly (readonly [name: string, kind: SymbolKind, line: number])[]
}
