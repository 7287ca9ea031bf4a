import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import type { SourceFile } from './parse/discover.ts'
import type { Change } from './rank/history.ts'
import { type FileSymbols, isSymbolKind } from './parse/symbol.ts'
import { isObject } from '../kernel/json-shape.ts'
import { sha256 } from '../platform/base/crypto.ts'

/** Increment whenever the extraction changes: every file is then read again. */
export const FORMAT = 3
const MAX_CACHE_BYTES = 512_000_000

export interface CachedFile extends SourceFile, FileSymbols {
  /** Hash of the content, so that a file with only a new time need not be parsed again. */
  readonly contentHash: string
}

export interface Cache {
  readonly files: ReadonlyMap<string, CachedFile>
  /** The newest commit in `changes`. */
  readonly head?: string
  readonly changes: readonly Change[]
  /** Wall time just before the files were read. */
  readonly readAtMs: number
}

export const EMPTY_CACHE: Cache = { files: new Map(), changes: [], readAtMs: 0 }

/** One file per project, in Holdfast's own folder and never in the repository. */
export function cacheFile(folder: string, root: string): string {
  return join(folder, `${sha256(root).slice(0, 32)}.bin`)
}

function isCachedFile(value: unknown): value is CachedFile {
  return (
    isObject(value) &&
    typeof value.path === 'string' &&
    typeof value.sizeBytes === 'number' &&
    typeof value.modifiedMs === 'number' &&
    typeof value.contentHash === 'string' &&
    isObject(value.words) &&
    value.words.digests instanceof Uint32Array &&
    value.words.counts instanceof Uint8Array &&
    Array.isArray(value.definitions) &&
    value.definitions.every(
      (one) => isObject(one) && typeof one.name === 'string' && typeof one.line === 'number' && isSymbolKind(one.kind),
    )
  )
}

function isChange(value: unknown): value is Change {
  return (
    isObject(value) &&
    Array.isArray(value.files) &&
    value.files.every(
      (file) =>
        isObject(file) && typeof file.path === 'string' && Array.isArray(file.touched) && file.touched.every(isText),
    )
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'

function parseCache(value: unknown): Cache | undefined {
  if (!isObject(value) || value.format !== FORMAT || !Array.isArray(value.files) || !Array.isArray(value.changes)) {
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

/** Returns an empty cache if the file is unusable: the cache only saves time. */
export function readCache(path: string): Cache {
  try {
    return parseCache(deserialize(readFileSync(path))) ?? EMPTY_CACHE
  } catch {
    // Missing, damaged, or written by another version of V8: read everything again.
    return EMPTY_CACHE
  }
}

export function writeCache(path: string, folder: string, cache: Cache): void {
  const bytes = serialize({ ...cache, format: FORMAT, files: [...cache.files.values()] })
  if (bytes.length > MAX_CACHE_BYTES) return
  ensurePrivateDir(folder)
  writeFileAtomic(path, bytes)
}
