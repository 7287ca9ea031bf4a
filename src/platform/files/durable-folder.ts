import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '../base/errno.ts'

/**
 * The sticky bit, which means nothing on a folder that only its owner may write to. A new folder has it until its entry in
 * the parent is durable, so that another process that finds the folder knows that it may not rely on it yet, also when
 * the process that made it was killed in between.
 */
const IS_UNSYNCED = 0o1000
const WRITABLE_BY_OTHERS = 0o022

/** Makes every change of names in this folder durable. */
export function syncFolder(path: string): void {
  // Windows cannot open a directory for this; NTFS journals the rename by itself.
  if (process.platform === 'win32') return
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(fd)
  } catch (thrown) {
    // Some network and FUSE file systems have no fsync for directories; the rename itself is still atomic there.
    if (errnoOf(thrown) !== 'EINVAL' && errnoOf(thrown) !== 'ENOTSUP') throw thrown
  } finally {
    closeSync(fd)
  }
}

function isUnsynced(facts: Stats): boolean {
  if (process.platform === 'win32' || !facts.isDirectory()) return false
  return (facts.mode & IS_UNSYNCED) !== 0 && (facts.mode & WRITABLE_BY_OTHERS) === 0
}

/** Also of the folders above that are marked. Their marks stay: only a folder that was asked for may be changed. */
function syncEntry(path: string): void {
  const parent = dirname(path)
  if (parent === path) return
  if (isUnsynced(lstatSync(parent))) syncEntry(parent)
  try {
    syncFolder(parent)
  } catch (thrown) {
    // A parent in which names may be made and not listed cannot be opened, and so not be synced.
    if (errnoOf(thrown) !== 'EACCES') throw thrown
  }
}

/** The mark then stays, which costs the next process one more sync and nobody anything else. */
const NOT_CLEARED = new Set(['EPERM', 'EACCES', 'EROFS', 'ELOOP', 'ENOTDIR'])

/** By handle: a folder in a repository may be swapped for a link at any moment, and what that leads to is not to be opened up. */
function clearMark(path: string, mode: number): void {
  if (process.platform === 'win32') return
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    fchmodSync(fd, mode & 0o777)
  } catch (thrown) {
    if (!NOT_CLEARED.has(errnoOf(thrown) ?? '')) throw thrown
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function settle(path: string, facts: Stats): Stats {
  syncEntry(path)
  clearMark(path, facts.mode)
  return lstatSync(path)
}

/**
 * Makes a folder, and what is missing above it, so that both survive a power loss: on file systems that promise no more
 * than POSIX, a folder is durable only after an fsync of its parent. A folder that exists without the mark is durable with
 * everything above it, so that finding one costs no sync. Returns what is there, which may be something else than a folder.
 */
export function makeDurableFolder(path: string, mode = 0o700): Stats {
  try {
    mkdirSync(path, { mode: mode | IS_UNSYNCED })
  } catch (thrown) {
    const code = errnoOf(thrown)
    if (code === 'ENOENT' && !existsSync(dirname(path))) {
      // Not `recursive: true`: where a folder cannot be made though its parent exists, as in /proc, Node 20 tries for ever.
      makeDurableFolder(dirname(path), mode)
      // A link that leads nowhere is there and yet no folder: trying again would never end.
      if (!existsSync(dirname(path))) throw thrown
      return makeDurableFolder(path, mode)
    }
    if (code !== 'EEXIST') throw thrown
    const found = lstatSync(path)
    return isUnsynced(found) ? settle(path, found) : found
  }
  // Also where mkdir does not take the bit (macOS): there nobody else learns that the entry is not durable yet.
  return settle(path, lstatSync(path))
}
