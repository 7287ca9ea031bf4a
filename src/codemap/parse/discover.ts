import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { detectLanguage } from './languages.ts'

/** A source file that is worth reading. The cache compares times and sizes. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedMs: number
}

export interface DiscoveryResult {
  readonly files: readonly SourceFile[]
  /** Number of source files over the limit or too large: not in the map, but reported. */
  readonly skipped: number
}

const MAX_FILES = 20_000
export const MAX_FILE_BYTES = 512 * 1024
const MAX_WALK_ENTRIES = 200_000
const MAX_WALK_DEPTH = 24

const FOREIGN_FOLDER =
  /(?:^|\/)(?:node_modules|bower_components|vendor|vendored|third_party|third-party|dist|out|target|\.git|\.hg|\.svn|\.venv|venv|site-packages|__pycache__|\.next|\.nuxt|\.tox|coverage|deno_dist)\//
const GENERATED_NAME =
  /(?:\.min\.[cm]?js|[.-]bundle\.js|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.generated\.\w+|\.g\.cs|\.designer\.cs|_generated\.\w+)$/i

export function isWorthReading(path: string): boolean {
  return detectLanguage(path) !== undefined && !FOREIGN_FOLDER.test(path) && !GENERATED_NAME.test(path)
}

/** For a folder without git. */
export function listByWalking(root: string): readonly string[] {
  const found: string[] = []
  const folders: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  let entries = 0
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for (const entry of listEntries(join(root, next.path))) {
      entries += 1
      if (entries > MAX_WALK_ENTRIES) return found
      const path = `${next.path}${entry.name}`
      if (entry.isFile()) found.push(path)
      else if (entry.isDirectory() && next.depth < MAX_WALK_DEPTH && !FOREIGN_FOLDER.test(`${path}/`)) {
        folders.push({ path: `${path}/`, depth: next.depth + 1 })
      }
    }
  }
  return found
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // An unreadable folder is not part of the map.
    return []
  }
}

/** Checks that a path below `root` is a folder and not below a link: git still lists files below a folder that became a link. */
function createFolderCheck(root: string): (folder: string) => boolean {
  const known = new Map<string, boolean>([['.', true]])
  return function isFolder(folder): boolean {
    const before = known.get(folder)
    if (before !== undefined) return before
    const is =
      isFolder(dirname(folder)) && lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() === true
    known.set(folder, is)
    return is
  }
}

/** The listed files that exist and are small enough. Links are not followed: they may point anywhere. */
export function measure(root: string, paths: readonly string[]): DiscoveryResult {
  const files: SourceFile[] = []
  let skipped = 0
  const isFolder = createFolderCheck(root)
  for (const path of paths) {
    if (!isFolder(dirname(path))) continue
    const facts = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (facts?.isFile() !== true) continue
    if (facts.size > MAX_FILE_BYTES || files.length >= MAX_FILES) skipped += 1
    else files.push({ path, sizeBytes: facts.size, modifiedMs: facts.mtimeMs })
  }
  return { files, skipped }
}
