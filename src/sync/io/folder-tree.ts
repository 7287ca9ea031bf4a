import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { systemClock } from '../../platform/base/clock.ts'
import { getErrorCode } from '../../platform/base/errno.ts'
import { syncFolder } from '../../platform/files/durable-folder.ts'
import type { FileTree } from './file-tree.ts'

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
const MAX_DEPTH = 5
/** Parts of files that a stopped process left behind. */
const PARTIAL = /^\.holdfast-/
const PARTIAL_AGE_MS = 24 * 3_600_000

async function unlessMissing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read()
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(getErrorCode(thrown) ?? '')) return undefined
    throw thrown
  }
}

function describeFailure(root: string, thrown: unknown): HoldfastError {
  const code = getErrorCode(thrown)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new HoldfastError('store-unavailable', `The disk of ${root} is full.`, {
      hint: 'Free some space on it. The next exchange sends the rest.',
      cause: thrown,
    })
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new HoldfastError('forbidden', `${root} cannot be written.`, {
      hint: 'Mount it for writing, or make the folder yours. The next exchange sends the rest.',
      cause: thrown,
    })
  return new HoldfastError('store-unavailable', `${root} cannot be used: ${code ?? String(thrown)}.`, { cause: thrown })
}

/** A folder: a stick, a shared disk. The folder itself must exist: an empty mount point is not the stick. */
export function createFolderTree(root: string): FileTree {
  async function requireRoot(): Promise<void> {
    const facts = await unlessMissing(() => stat(root))
    if (facts?.isDirectory() !== true)
      throw new HoldfastError('not-found', `${root} does not exist.`, {
        hint: 'Connect the disk. The next exchange sends the waiting records.',
      })
  }

  async function attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      await requireRoot()
      return await work()
    } catch (thrown) {
      throw thrown instanceof HoldfastError ? thrown : describeFailure(root, thrown)
    }
  }

  async function walk(folder: string, depth: number, found: string[]): Promise<void> {
    const entries = (await unlessMissing(() => readdir(join(root, folder), { withFileTypes: true }))) ?? []
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && depth < MAX_DEPTH) await walk(path, depth + 1, found)
      else if (entry.isFile() && PARTIAL.test(entry.name)) await removeOld(path)
      else if (entry.isFile()) found.push(path)
    }
  }

  async function removeOld(path: string): Promise<void> {
    const facts = await unlessMissing(() => stat(join(root, path)))
    if (facts !== undefined && Date.parse(systemClock.now()) - facts.mtimeMs > PARTIAL_AGE_MS)
      await rm(join(root, path), { force: true })
  }

  /** Writes a file beside its place, durable, and puts it there. */
  async function put(path: string, bytes: Uint8Array, place: (from: string, to: string) => Promise<boolean>) {
    const to = join(root, path)
    const from = join(dirname(to), `.holdfast-${randomUUID()}`)
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    try {
      const file = await open(from, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      const isPlaced = await place(from, to)
      if (isPlaced) syncFolder(dirname(to))
      return isPlaced
    } finally {
      await rm(from, { force: true })
    }
  }

  async function placeOnce(from: string, to: string): Promise<boolean> {
    try {
      await link(from, to)
      return true
    } catch (thrown) {
      const code = getErrorCode(thrown)
      if (code === 'EEXIST') return false
      if (!NO_LINKS.has(code ?? '')) throw thrown
    }
    // FAT and exFAT have no links. Only this machine writes files of this name.
    if ((await unlessMissing(() => stat(to))) !== undefined) return false
    await rename(from, to)
    return true
  }

  return {
    list: () =>
      attempt(async () => {
        const found: string[] = []
        for (const top of ['logs', 'documents']) await walk(top, 1, found)
        return found.toSorted()
      }),
    readMany: (paths, maxBytes) =>
      attempt(async () => {
        const contents: (Uint8Array | undefined)[] = []
        let bytes = 0
        for (const path of paths) {
          if (contents.length > 0 && bytes >= maxBytes) break
          const content = await unlessMissing(() => readFile(join(root, path)))
          bytes += content?.length ?? 0
          contents.push(content === undefined ? undefined : new Uint8Array(content))
        }
        return contents
      }),
    create: (path, bytes) => attempt(() => put(path, bytes, placeOnce)),
    replace: (path, bytes) =>
      attempt(async () => {
        await put(path, bytes, async (from, to) => {
          await rename(from, to)
          return true
        })
      }),
    remove: (paths) =>
      attempt(async () => {
        const folders = new Set<string>()
        for (const path of paths) {
          await rm(join(root, path), { force: true })
          for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder)
        }
        for (const folder of [...folders].toSorted((one, other) => other.length - one.length))
          await rmdir(join(root, folder)).catch(() => undefined)
      }),
    close: async () => undefined,
  }
}
