import { createHash } from 'node:crypto'
import { VERSION } from '../platform/base/version.ts'
import type { RankedFile } from './rank/rank.ts'
import { renderMap } from './render.ts'
import type { SymbolKind } from './parse/symbol.ts'

export const INDEX_MARKDOWN = 'PROJECT_INDEX.md'
export const INDEX_JSON = 'PROJECT_INDEX.json'
/** About 3,000 tokens. */
export const DEFAULT_MAX_CHARS = 12_000
export const MIN_MAX_CHARS = 1_000
export const MAX_MAX_CHARS = 200_000

/** Past these the pair would be a burden to the repository that it describes. */
const MAX_JSON_FILES = 5_000
const MAX_JSON_SYMBOLS = 20_000

export interface IndexMeta {
  /** The same in both files. */
  readonly generated: string
  /** SHA-256 of the Markdown with `\n` line ends: tells which one this belongs to, and whether it is as it was written. */
  readonly markdown: string
  readonly tool: string
  /** Of the Markdown, as it was asked for. */
  readonly maxChars: number
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

/** What both files are made of, apart from when. The same for the same project. */
export interface IndexBody {
  readonly head?: string
  readonly branch?: string
  readonly files: number
  readonly symbols: number
  readonly skipped: number
  readonly maxChars: number
  readonly map: string
  /** One JSON object a line. */
  readonly fileLines: string
}

export function markdownHash(markdown: string): string {
  return createHash('sha256').update(markdown.replaceAll('\r\n', '\n')).digest('hex')
}

/** By hand: the first use of a locale costs more than all the rest of an index that did not change. */
const number = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
const END = '```\n'

function headingOf(body: Omit<IndexBody, 'maxChars' | 'map' | 'fileLines'>, generated: string): string {
  const commit = body.head === undefined ? '' : `Commit: ${body.head.slice(0, 12)}\n`
  const skipped = body.skipped === 0 ? '' : `, ${number(body.skipped)} too large or too many to read`
  return `# Project index

Generated: ${generated}
${commit}Source files: ${number(body.files)}, definitions: ${number(body.symbols)}${skipped}

Most important first: by recent changes, uncommitted work and references. A line that ends in / heads the files under it; name:line is a definition. Written by \`holdfast index\`: read it, do not regenerate it within a task.

\`\`\`text
`
}

function linesOf(ranked: readonly RankedFile[]): string {
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
  return lines.join(',\n')
}

export interface ComposeInput {
  readonly ranked: readonly RankedFile[]
  readonly symbols: number
  readonly skipped: number
  readonly head?: string
  readonly branch?: string
  /** Of the Markdown, heading included. */
  readonly maxChars: number
}

export function composeBody({ ranked, maxChars, ...facts }: ComposeInput): IndexBody {
  const body = { ...facts, files: ranked.length }
  const room = maxChars - headingOf(body, STAMP).length - END.length
  return { ...body, maxChars, map: renderMap(ranked, Math.max(0, room)), fileLines: linesOf(ranked) }
}

/** As long as every other. */
const STAMP = new Date(0).toISOString()

/** Both files of the pair: one ranking, the Markdown to be read, the JSON to be asked. */
export function composeIndex(body: IndexBody, generated: string): ProjectIndex {
  const { head, branch, files, symbols, maxChars } = body
  const markdown = `${headingOf(body, generated)}${body.map}${END}`
  const meta: IndexMeta = {
    generated,
    markdown: markdownHash(markdown),
    tool: `holdfast ${VERSION}`,
    maxChars,
    ...(head !== undefined && { head }),
    ...(branch !== undefined && { branch }),
    files,
    symbols,
  }
  const json = `{\n"meta": ${JSON.stringify(meta, undefined, 2)},\n"files": [\n${body.fileLines}\n]\n}\n`
  return { markdown, json, meta }
}
