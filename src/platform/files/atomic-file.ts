import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
  linkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { makeDurableFolder, syncFolder } from './durable-folder.ts'
import { getErrorCode } from '../base/errno.ts'

/** Errors of file systems without hard links, such as exFAT and some in virtual machines. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * Creates `path` atomically: a reader sees all of it or nothing. False if
 * it exists already, and then it stays unchanged. Mode 0600, durable on return; the folder must exist.
 */
export function createFileOnce(path: string, content: string): boolean {
  const isMade = createWhole(path, content)
  // Also when another process made it: what the caller does next must not outlive the file.
  syncFolder(dirname(path))
  return isMade
}

function createWhole(path: string, content: string): boolean {
  const whole = `${path}.${process.pid}.${process.hrtime.bigint()}.new`
  writeFileAtomic(whole, content)
  try {
    linkSync(whole, path)
    return true
  } catch (thrown) {
    if (getErrorCode(thrown) === 'EEXIST') return false
    if (!NO_LINKS.has(getErrorCode(thrown) ?? '')) throw thrown
    return createWithoutLink(path, content)
  } finally {
    unlinkSync(whole)
  }
}

function createWithoutLink(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (thrown) {
    if (getErrorCode(thrown) === 'EEXIST') return false
    throw thrown
  }
}

/** The system calls of a durable write, so that a test can simulate power loss between any two of them. */
export interface DurableFs {
  /** A new file; fails when the name exists, and never follows a link. */
  create(path: string, mode: number): number
  write(fd: number, bytes: Uint8Array, offset: number): number
  fsync(fd: number): void
  close(fd: number): void
  rename(from: string, to: string): void
  unlink(path: string): void
  fsyncDir(path: string): void
}

export const realDurableFs: DurableFs = {
  create(path, mode) {
    const fd = openSync(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
      mode,
    )
    // Undo the umask: the caller's mode is exact.
    if (process.platform !== 'win32') fchmodSync(fd, mode)
    return fd
  },
  write: (fd, bytes, offset) => writeSync(fd, bytes, offset),
  fsync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  unlink: unlinkSync,
  fsyncDir: syncFolder,
}

let temporaries = 0

export interface AtomicWrite {
  readonly mode?: number
  readonly fs?: DurableFs
}

/**
 * Replaces `path` atomically: when this returns, the bytes survive a power loss, and the file is never half-written.
 * On failure the old file is untouched and nothing is left behind.
 */
export function writeFileAtomic(path: string, content: Uint8Array | string, options: AtomicWrite = {}): void {
  const fs = options.fs ?? realDurableFs
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  temporaries += 1
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${process.hrtime.bigint()}.${temporaries}.tmp`,
  )
  const fd = fs.create(temporary, options.mode ?? 0o600)
  try {
    try {
      for (let written = 0; written < bytes.length; ) written += fs.write(fd, bytes, written)
      fs.fsync(fd)
    } finally {
      fs.close(fd)
    }
    fs.rename(temporary, path)
  } catch (thrown) {
    removeQuietly(fs, temporary)
    throw thrown
  }
  fs.fsyncDir(dirname(path))
}

function removeQuietly(fs: DurableFs, path: string): void {
  try {
    fs.unlink(path)
  } catch {
    // The write's own failure is reported; nothing reads the left-over temporary file.
  }
}

export class SymlinkRefused extends Error {
  readonly code = 'ELOOP'
  constructor(path: string) {
    super(`${path} is a symbolic link; Holdfast does not write through links inside its own folders.`)
  }
}

/**
 * Makes `dir` and its missing parents with mode 0700, durably, and removes group and other permissions.
 * Below `root` (which may itself be a link: people move their homes) a symbolic link is refused.
 */
export function ensurePrivateDir(dir: string, root: string = dir): void {
  let facts = makeDurableFolder(root)
  const below = relative(root, dir)
  if (below.startsWith('..')) throw new Error(`${dir} is not inside ${root}.`)
  let path = root
  for (const part of below === '' ? [] : below.split(sep)) {
    path = join(path, part)
    facts = makeDurableFolder(path)
    if (facts.isSymbolicLink()) throw new SymlinkRefused(path)
    if (!facts.isDirectory()) throw new Error(`${path} exists and is not a folder.`)
  }
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) chmodSync(dir, 0o700)
}
