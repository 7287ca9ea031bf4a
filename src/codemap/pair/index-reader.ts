import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { IndexedSymbol, IndexedSymbols } from '../../agent-api/ports.ts'
import { type FindHead, IndexHeadSchema, parseAs, readHead } from './index-file.ts'
import { INDEX_JSON } from '../project-index.ts'
import { readIndexJson } from './read-pair.ts'
import { isSymbolKind } from '../parse/symbol.ts'

/** Ours is a tenth of it at most, and the daemon waits while it is parsed. */
const MAX_JSON_BYTES = 8_000_000
const MAX_SYMBOLS = 50_000
const MAX_PROJECTS = 8

const NONE: IndexedSymbols = { symbols: [] }

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** By hand and not by schema: twenty thousand tuples are read while a briefing waits. */
function symbolOf(file: string, entry: unknown): readonly IndexedSymbol[] {
  if (!Array.isArray(entry)) return []
  const [name, type, line]: readonly unknown[] = entry
  const isSymbol = typeof name === 'string' && isSymbolKind(type) && Number.isSafeInteger(line) && Number(line) > 0
  return isSymbol ? [{ name, type, file, line: Number(line) }] : []
}

function symbolsIn(parsed: unknown): IndexedSymbols {
  if (!isFields(parsed) || !isFields(parsed.meta) || !Array.isArray(parsed.files)) return NONE
  const { generated } = parsed.meta
  if (typeof generated !== 'string' || Number.isNaN(Date.parse(generated))) return NONE
  const symbols: IndexedSymbol[] = []
  for (const file of parsed.files) {
    if (!isFields(file) || typeof file.path !== 'string' || !Array.isArray(file.symbols)) continue
    for (const entry of file.symbols) symbols.push(...symbolOf(file.path, entry))
    if (symbols.length >= MAX_SYMBOLS) break
  }
  return { generatedAt: generated, symbols: symbols.slice(0, MAX_SYMBOLS) }
}

interface Read {
  readonly head: Awaited<ReturnType<FindHead>>
  readonly symbols: IndexedSymbols
}

async function readIndex(root: string): Promise<Read> {
  const text = await readIndexJson(root, MAX_JSON_BYTES)
  if (text === undefined) return { head: await readHead(root), symbols: NONE }
  const parsed = parseAs(z.unknown(), text)
  const meta = IndexHeadSchema.safeParse(parsed).data?.meta
  return { head: meta === undefined ? {} : { meta }, symbols: symbolsIn(parsed) }
}

export interface IndexReader {
  readonly findHead: FindHead
  /** Every definition in a project's index, the most important file's first. */
  readonly symbolsOf: (root: string) => Promise<IndexedSymbols>
}

/** Reads a PROJECT_INDEX.json again only when it is another file. */
export function createIndexReader(): IndexReader {
  const known = new Map<string, { readonly stamp: string; readonly index: Promise<Read> }>()
  async function indexOf(root: string): Promise<Read> {
    const facts = await lstat(join(root, INDEX_JSON)).catch(() => undefined)
    const stamp = `${facts?.ino} ${facts?.size} ${facts?.mtimeMs}`
    const before = known.get(root)
    const index = before?.stamp === stamp ? before.index : readIndex(root)
    known.delete(root)
    known.set(root, { stamp, index })
    const [oldest] = known.keys()
    if (known.size > MAX_PROJECTS && oldest !== undefined) known.delete(oldest)
    return index
  }
  return {
    findHead: async (root) => (await indexOf(root)).head,
    symbolsOf: async (root) => (await indexOf(root)).symbols,
  }
}
