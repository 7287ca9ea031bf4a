import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../kernel/ports/ports.ts'
import { sha256 } from '../platform/base/crypto.ts'
import { type Cache, type CachedFile, cacheFile, EMPTY_CACHE, readCache, writeCache } from './cache.ts'
import { measure, type SourceFile } from './parse/discover.ts'
import { type Change, readHistory } from './rank/history.ts'
import { SOURCE_PATHSPECS } from './parse/languages.ts'
import { parseFiles, type PoolOptions } from './parse/parse-pool.ts'
import { FRESH_MS, type ProjectFiles } from './project-files.ts'

export interface ScanRequest {
  /** Real path of the project's top folder. */
  readonly root: string
  /** Where caches are stored, outside the project. */
  readonly cacheDir: string
  readonly parser: Pick<PoolOptions, 'workerFile' | 'grammarsDir' | 'maxWorkers'>
  readonly clock: Pick<Clock, 'now'>
  /** Read everything again. */
  readonly isFull?: boolean
  /** Called after each batch of files that had to be read. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface Scan {
  readonly files: readonly CachedFile[]
  readonly changes: readonly Change[]
  readonly dirty: readonly string[]
  /** Number of files that were read and parsed; the others were cached. */
  readonly parsed: number
  /** Number of files that are too large or over the limit. */
  readonly skipped: number
}

interface Work {
  readonly unchanged: readonly CachedFile[]
  readonly due: readonly SourceFile[]
}

function compare(found: readonly SourceFile[], cache: Cache): Work {
  const unchanged: CachedFile[] = []
  const due: SourceFile[] = []
  for (const file of found) {
    const known = cache.files.get(file.path)
    const isSame = known?.sizeBytes === file.sizeBytes && known.modifiedMs === file.modifiedMs
    if (known !== undefined && isSame && file.modifiedMs < cache.readAtMs - FRESH_MS) unchanged.push(known)
    else due.push(file)
  }
  return { unchanged, due }
}

async function readChanged(due: readonly SourceFile[], cache: Cache, request: ScanRequest) {
  const { root, parser, onProgress } = request
  const realRoot = due.length === 0 ? root : realpathSync(root)
  const jobs = due.map(({ path }) => {
    const knownHash = cache.files.get(path)?.contentHash
    return { path, file: join(realRoot, path), knownHash }
  })
  const parsed = await parseFiles(jobs, { ...parser, onParsed: (done) => onProgress?.(done, jobs.length) })
  const byPath = new Map(due.map((file) => [file.path, file]))
  let count = 0
  const files: CachedFile[] = []
  for (const { path, contentHash, facts } of parsed) {
    const file = byPath.get(path)
    const known = facts ?? cache.files.get(path)
    if (file === undefined || contentHash === undefined || known === undefined) continue
    if (facts !== undefined) count += 1
    files.push({ ...file, contentHash, definitions: known.definitions, words: known.words })
  }
  return { files, count }
}

/** With more changed files, the first look at a project would take too long for a caller that waits. */
const MAX_DUE_FILES = 2_000

export interface SymbolScan extends Pick<Scan, 'files' | 'skipped'> {
  /** The same for the same files; absent if one of them changed too recently to be sure of it. */
  readonly key?: string
}

/** Of the files by size and time. */
function toKey(found: readonly SourceFile[], skipped: number): string {
  return sha256(
    found.map(({ path, sizeBytes, modifiedMs }) => `${path}\n${sizeBytes} ${modifiedMs}`).join('\n') + skipped,
  )
}

/** The symbols of a project without its history: 'unchanged' if its key is the known one, undefined when too many files changed since the last scan. */
export async function scanSymbols(
  { paths, atMs }: ProjectFiles,
  request: ScanRequest,
  knownKey?: string,
): Promise<SymbolScan | 'unchanged' | undefined> {
  const { root, cacheDir } = request
  const { files: found, skipped } = measure(root, paths)
  const key = toKey(found, skipped)
  if (key === knownKey) return 'unchanged'
  const path = cacheFile(cacheDir, root)
  const cache = readCache(path)
  const { unchanged, due } = compare(found, cache)
  if (due.length > MAX_DUE_FILES) return undefined
  const { files: read } = await readChanged(due, cache, request)
  const files = [...unchanged, ...read]
  if (due.length > 0)
    writeCache(path, cacheDir, { ...cache, files: new Map(files.map((file) => [file.path, file])), readAtMs: atMs })
  return due.length > 0 ? { files, skipped } : { files, skipped, key }
}

/** Everything the ranking needs. Only files that changed since the last scan are read. */
export async function scanProject({ paths, head, dirty, atMs }: ProjectFiles, request: ScanRequest): Promise<Scan> {
  const { root, cacheDir } = request
  const { files: found, skipped } = measure(root, paths)
  const path = cacheFile(cacheDir, root)
  const cache = request.isFull === true ? EMPTY_CACHE : readCache(path)
  const { unchanged, due } = compare(found, cache)
  const isHistoryKnown = head !== undefined && head === cache.head
  const known = cache.head === undefined ? undefined : { head: cache.head, changes: cache.changes }
  const [read, history] = await Promise.all([
    readChanged(due, cache, request),
    readHistory(root, SOURCE_PATHSPECS, { head, known }),
  ])
  const changes = history ?? []
  const files = [...unchanged, ...read.files].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const isCacheCurrent = due.length === 0 && isHistoryKnown && files.length === cache.files.size
  if (!isCacheCurrent) {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const isHistoryComplete = head !== undefined && history !== undefined
    writeCache(path, cacheDir, { files: byPath, changes, readAtMs: atMs, ...(isHistoryComplete && { head }) })
  }
  return { files, changes, dirty, parsed: read.count, skipped }
}
