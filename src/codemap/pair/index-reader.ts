import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { IndexedSymbol, IndexedSymbols } from '../../agent-api/ports.ts'
import { type FindHead, IndexHeadSchema, parseAs, readHead } from './index-files.ts'
import { INDEX_JSON } from '../project-index.ts'
import { readIndexJson } from './index-files.ts'
import { isSymbolKind } from '../parse/symbol.ts'
import { isObject } from '../../kernel/json-shape.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'

/** Ten times the size of ours; the daemon blocks while it is parsed. */
const MAX_JSON_BYTES = 8_000_000
const MAX_SYMBOLS = 50_000
const MAX_PROJECTS = 8

const NONE: IndexedSymbols = { symbols: [] }

/** By hand, not by schema: twenty thousand tuples are parsed while a briefing waits. */
function toSymbol(file: string, entry: unknown): readonly IndexedSymbol[] {
  if (!Array.isArray(entry)) return []
  const [name, type, line]: readonly unknown[] = entry
  const isSymbol = typeof name === 'string' && isSymbolKind(type) && Number.isSafeInteger(line) && Number(line) > 0
  return isSymbol ? [{ name, type, file, line: Number(line) }] : []
}

function symbolsIn(parsed: unknown): IndexedSymbols {
  if (!isObject(parsed) || !isObject(parsed.meta) || !Array.isArray(parsed.files)) return NONE
  const { generated } = parsed.meta
  if (typeof generated !== 'string' || Number.isNaN(Date.parse(generated))) return NONE
  const symbols: IndexedSymbol[] = []
  for (const file of parsed.files) {
    if (!isObject(file) || typeof file.path !== 'string' || !Array.isArray(file.symbols)) continue
    for (const entry of file.symbols) symbols.push(...toSymbol(file.path, entry))
    if (symbols.length >= MAX_SYMBOLS) break
  }
  return { generatedAt: generated, symbols: symbols.slice(0, MAX_SYMBOLS) }
}

interface IndexContent {
  readonly head: Awaited<ReturnType<FindHead>>
  readonly symbols: IndexedSymbols
}

async function readIndex(root: string): Promise<IndexContent> {
  const text = await readIndexJson(root, MAX_JSON_BYTES)
  if (text === undefined) return { head: await readHead(root), symbols: NONE }
  const parsed = parseAs(z.unknown(), text)
  const meta = IndexHeadSchema.safeParse(parsed).data?.meta
  return { head: meta === undefined ? {} : { meta }, symbols: symbolsIn(parsed) }
}

export interface IndexReader {
  readonly findHead: FindHead
  /** Every definition in a project's index, the most important file first. */
  readonly symbolsOf: (root: string) => Promise<IndexedSymbols>
}

/** Reads a PROJECT_INDEX.json again only when the file changed. */
export function createIndexReader(): IndexReader {
  const known = new BoundedMap<string, { readonly stamp: string; readonly index: Promise<IndexContent> }>(MAX_PROJECTS)
  async function indexOf(root: string): Promise<IndexContent> {
    const facts = await lstat(join(root, INDEX_JSON)).catch(() => undefined)
    const stamp = `${facts?.ino} ${facts?.size} ${facts?.mtimeMs}`
    const before = known.get(root)
    const index = before?.stamp === stamp ? before.index : readIndex(root)
    known.set(root, { stamp, index })
    return index
  }
  return {
    findHead: async (root) => (await indexOf(root)).head,
    symbolsOf: async (root) => (await indexOf(root)).symbols,
  }
}
