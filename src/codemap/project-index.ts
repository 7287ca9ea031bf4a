import { VERSION } from '../platform/base/version.ts'
import type { RankedFile } from './rank/rank.ts'
import { renderMap } from './render.ts'
import type { SymbolKind } from './parse/symbol.ts'
import { sha256 } from '../platform/base/crypto.ts'

export const INDEX_MARKDOWN = 'PROJECT_INDEX.md'
export const INDEX_JSON = 'PROJECT_INDEX.json'
/** About 3,000 tokens. */
export const DEFAULT_MAX_CHARS = 12_000
export const MIN_MAX_CHARS = 1_000
export const MAX_MAX_CHARS = 200_000

/** With more, the pair would be a burden to its repository. */
const MAX_JSON_FILES = 5_000
const MAX_JSON_SYMBOLS = 20_000

export interface IndexMeta {
  /** Identical in both files. */
  readonly generated: string
  /** SHA-256 of the Markdown with `\n` newlines: identifies the matching file and detects changes. */
  readonly markdown: string
  readonly tool: string
  /** Requested length of the Markdown. */
  readonly maxChars: number
  readonly head?: string
  readonly branch?: string
  /** Of the whole project, not only of what is listed. */
  readonly files: number
  readonly symbols: number
}

export interface ProjectIndex {
  readonly markdown: string
  readonly json: string
  readonly meta: IndexMeta
}

/** The content of both files without the timestamp. Deterministic. */
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
  return sha256(markdown.replaceAll('\r\n', '\n'))
}

/** By hand: the first use of a locale costs more than the rest of an unchanged index. */
const number = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
const END = '```\n'

function renderHeading(body: Omit<IndexBody, 'maxChars' | 'map' | 'fileLines'>, generated: string): string {
  const commit = body.head === undefined ? '' : `Commit: ${body.head.slice(0, 12)}\n`
  const skipped = body.skipped === 0 ? '' : `, ${number(body.skipped)} too large or too many to read`
  return `# Project index

Generated: ${generated}
${commit}Source files: ${number(body.files)}, definitions: ${number(body.symbols)}${skipped}

Most important first: by recent changes, uncommitted work and references. A line that ends in / heads the files under it; name:line is a definition. Written by \`holdfast index\`: read it, do not regenerate it within a task.

\`\`\`text
`
}

function renderLines(ranked: readonly RankedFile[]): string {
  let room = MAX_JSON_SYMBOLS
  const lines = ranked.slice(0, MAX_JSON_FILES).map(({ path, weight, symbols }) => {
    const shownSymbols = symbols.slice(0, room)
    room -= shownSymbols.length
    return JSON.stringify({
      path,
      weight: Number(weight.toPrecision(3)),
      symbols: shownSymbols.map(({ name, kind, line }): [string, SymbolKind, number] => [name, kind, line]),
    })
  })
  return lines.join(',\n')
}

export interface IndexInput {
  readonly ranked: readonly RankedFile[]
  readonly symbols: number
  readonly skipped: number
  readonly head?: string
  readonly branch?: string
  /** Of the Markdown, heading included. */
  readonly maxChars: number
}

export function composeBody({ ranked, maxChars, ...facts }: IndexInput): IndexBody {
  const body = { ...facts, files: ranked.length }
  const room = maxChars - renderHeading(body, STAMP).length - END.length
  return { ...body, maxChars, map: renderMap(ranked, Math.max(0, room)), fileLines: renderLines(ranked) }
}

/** A placeholder of the usual length. */
const STAMP = new Date(0).toISOString()

/** Both files of the pair, from one ranking: Markdown for reading, JSON for queries. */
export function composeIndex(body: IndexBody, generated: string): ProjectIndex {
  const { head, branch, files, symbols, maxChars } = body
  const markdown = `${renderHeading(body, generated)}${body.map}${END}`
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
