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
import { getErrorCode } from '../base/errno.ts'

/**
 * The sticky bit, which has no effect on a folder that only its owner can write to. A new folder has it until its entry in
 * the parent is durable, so that another process knows that it cannot rely on the folder yet, even when
 * the process that made it was killed in between.
 */
const IS_UNSYNCED = 0o1000
const WRITABLE_BY_OTHERS = 0o022

/** Makes every created, renamed and deleted entry of this folder durable. */
export function syncFolder(path: string): void {
  // Windows cannot open a directory for this; NTFS journals renames.
  if (process.platform === 'win32') return
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(fd)
  } catch (thrown) {
    // Some network and FUSE file systems have no fsync for directories; the rename itself is still atomic there.
    if (getErrorCode(thrown) !== 'EINVAL' && getErrorCode(thrown) !== 'ENOTSUP') throw thrown
  } finally {
    closeSync(fd)
  }
}

function isUnsynced(facts: Stats): boolean {
  if (process.platform === 'win32' || !facts.isDirectory()) return false
  return (facts.mode & IS_UNSYNCED) !== 0 && (facts.mode & WRITABLE_BY_OTHERS) === 0
}

/** Also for marked folders above. Their marks stay: only the requested folder may be changed. */
function syncEntry(path: string): void {
  const parent = dirname(path)
  if (parent === path) return
  if (isUnsynced(lstatSync(parent))) syncEntry(parent)
  try {
    syncFolder(parent)
  } catch (thrown) {
    // A parent that is writable but not readable cannot be opened, and so not synced.
    if (getErrorCode(thrown) !== 'EACCES') throw thrown
  }
}

/** The mark then stays, which costs the next process one more sync. */
const NOT_CLEARED = new Set(['EPERM', 'EACCES', 'EROFS', 'ELOOP', 'ENOTDIR'])

/** By handle: a folder in a repository may be replaced by a link at any moment, and the mode of its target must not change. */
function clearMark(path: string, mode: number): void {
  if (process.platform === 'win32') return
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    fchmodSync(fd, mode & 0o777)
  } catch (thrown) {
    if (!NOT_CLEARED.has(getErrorCode(thrown) ?? '')) throw thrown
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
 * Makes a folder and its missing parents so that they survive a power loss: on file systems that guarantee no more
 * than POSIX, a folder is durable only after an fsync of its parent. A folder without the mark is durable with
 * everything above it, so finding one costs no sync. Returns what exists, which may be something other than a folder.
 */
export function makeDurableFolder(path: string, mode = 0o700): Stats {
  try {
    mkdirSync(path, { mode: mode | IS_UNSYNCED })
  } catch (thrown) {
    const code = getErrorCode(thrown)
    if (code === 'ENOENT' && !existsSync(dirname(path))) {
      // Not `recursive: true`: if a folder cannot be made though its parent exists, as in /proc, Node 20 loops forever.
      makeDurableFolder(dirname(path), mode)
      // A dangling link exists but is not a folder: retrying would never end.
      if (!existsSync(dirname(path))) throw thrown
      return makeDurableFolder(path, mode)
    }
    if (code !== 'EEXIST') throw thrown
    const found = lstatSync(path)
    return isUnsynced(found) ? settle(path, found) : found
  }
  // Also where mkdir ignores the bit (macOS): there other processes cannot know that the entry is not durable yet.
  return settle(path, lstatSync(path))
}
