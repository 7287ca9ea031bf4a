import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { isSpecialFile, openCheckoutTop } from './git-dir.ts'

// Git opens `.gitignore` and `.gitattributes` of every folder, and the repository of a folder that has one. To open a FIFO waits for a
// writer for ever. To look for one before each call costs as much as the call, so that is done when git takes long.

const MAX_FOLDERS = 20_000
const OPENED_IN_FOLDER: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes'])
/** A git that is only slow is not searched for again and again. */
const SEARCH_AGAIN_MS = 10_000

/** By checkout. */
const searches = new Map<string, { readonly atMs: number; readonly found: Promise<string | undefined> }>()
const known = new Map<string, string>()

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    // Gone meanwhile, or not to be read: git does not read it either.
    return []
  }
}

async function unreadableIn(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name)
  if (OPENED_IN_FOLDER.has(name)) return (await isSpecialFile(path)) ? path : undefined
  if (name !== '.git') return undefined
  const top = await openCheckoutTop(folder)
  return top.kind === 'unreadable' ? top.path : undefined
}

async function search(worktree: string): Promise<string | undefined> {
  const folders = [worktree]
  // The shallow ones first, and only so many: a checkout may be of any size.
  for (let n = 0; n < folders.length && n < MAX_FOLDERS; n += 1) {
    const folder = folders[n] ?? worktree
    for (const entry of await entriesOf(folder)) {
      const path = await unreadableIn(folder, entry.name)
      if (path !== undefined) return path
      if (entry.isDirectory() && entry.name !== '.git' && folders.length < MAX_FOLDERS)
        folders.push(join(folder, entry.name))
    }
  }
  return undefined
}

/** For a git that takes long: the FIFO or device below `worktree` that it may wait for. */
export function findStallingFile(worktree: string): Promise<string | undefined> {
  const nowMs = systemClock.monotonicMs()
  const last = searches.get(worktree)
  if (last !== undefined && nowMs - last.atMs < SEARCH_AGAIN_MS) return last.found
  const found = search(worktree).then((path) => {
    if (path !== undefined) known.set(worktree, path)
    return path
  })
  searches.set(worktree, { atMs: nowMs, found })
  return found
}

/** What an earlier call waited for, as long as it is there. */
export async function findKnownStall(worktree: string): Promise<string | undefined> {
  const path = known.get(worktree)
  if (path === undefined || (await isSpecialFile(path))) return path
  known.delete(worktree)
  searches.delete(worktree)
  return undefined
}
