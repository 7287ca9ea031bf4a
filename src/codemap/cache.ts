import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import type { SourceFile } from './parse/discover.ts'
import type { Change } from './rank/history.ts'
import { type FileFacts, isSymbolKind } from './parse/symbol.ts'

/** A new number whenever what is extracted changes: everything is then read again. */
export const FORMAT = 3
const MAX_CACHE_BYTES = 512_000_000

export interface CachedFile extends SourceFile, FileFacts {
  /** Of the content, so that a touched file need not be parsed again. */
  readonly contentHash: string
}

export interface Cache {
  readonly files: ReadonlyMap<string, CachedFile>
  /** The commit that `changes` ends with. */
  readonly head?: string
  readonly changes: readonly Change[]
  /** Wall time just before the files were looked at. */
  readonly readAtMs: number
}

export const EMPTY_CACHE: Cache = { files: new Map(), changes: [], readAtMs: 0 }

/** One file a project, in Holdfast's own folder and never in the repository. */
export function cacheFile(folder: string, root: string): string {
  return join(folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.bin`)
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function isCachedFile(value: unknown): value is CachedFile {
  return (
    isFields(value) &&
    typeof value.path === 'string' &&
    typeof value.sizeBytes === 'number' &&
    typeof value.modifiedMs === 'number' &&
    typeof value.contentHash === 'string' &&
    isFields(value.words) &&
    value.words.digests instanceof Uint32Array &&
    value.words.counts instanceof Uint8Array &&
    Array.isArray(value.definitions) &&
    value.definitions.every(
      (one) => isFields(one) && typeof one.name === 'string' && typeof one.line === 'number' && isSymbolKind(one.kind),
    )
  )
}

function isChange(value: unknown): value is Change {
  return (
    isFields(value) &&
    Array.isArray(value.files) &&
    value.files.every(
      (file) =>
        isFields(file) && typeof file.path === 'string' && Array.isArray(file.touched) && file.touched.every(isText),
    )
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'

function parseCache(value: unknown): Cache | undefined {
  if (!isFields(value) || value.format !== FORMAT || !Array.isArray(value.files) || !Array.isArray(value.changes)) {
    return undefined
  }
  if (!value.files.every(isCachedFile) || !value.changes.every(isChange)) return undefined
  if (typeof value.readAtMs !== 'number') return undefined
  return {
    files: new Map(value.files.map((file) => [file.path, file])),
    ...(isText(value.head) && { head: value.head }),
    changes: value.changes,
    readAtMs: value.readAtMs,
  }
}

/** Whatever is wrong with the file, the answer is an empty cache: it only ever saves time. */
export function readCache(path: string): Cache {
  try {
    return parseCache(deserialize(readFileSync(path))) ?? EMPTY_CACHE
  } catch {
    // Missing, damaged, or written by another version of V8: read everything anew.
    return EMPTY_CACHE
  }
}

export function writeCache(path: string, folder: string, cache: Cache): void {
  const bytes = serialize({ ...cache, format: FORMAT, files: [...cache.files.values()] })
  if (bytes.length > MAX_CACHE_BYTES) return
  ensurePrivateDir(folder)
  writeFileAtomic(path, bytes)
}
