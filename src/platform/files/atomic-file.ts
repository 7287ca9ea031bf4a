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
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { makeDurableFolder, syncFolder } from './durable-folder.ts'

/** The calls a durable write is made of, so that a test can lose power between any two of them. */
export interface DurableFs {
  /** A new file; fails when the name is taken, and never follows a link. */
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
    // The umask took bits from `mode`, and a caller who asks for 0644 means it.
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
 * Replaces `path` as a whole: after this returns the bytes survive a power loss, and at no moment is the file half-written.
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
    // The write's own failure is the one to report; a left-over temporary has a name that nothing reads.
  }
}

export class SymlinkRefused extends Error {
  readonly code = 'ELOOP'
  constructor(path: string) {
    super(`${path} is a symbolic link; Holdfast does not write through links inside its own folders.`)
  }
}

/**
 * Makes `dir` and what is missing above it with mode 0700, durably, and takes group and other bits away where they were set.
 * From `root` (which may itself be a link: people move their homes) down, a symbolic link is refused.
 */
export function ensurePrivateDir(dir: string, root: string = dir): void {
  let facts = makeDurableFolder(root)
  const below = relative(root, dir)
  if (below.startsWith('..')) throw new Error(`${dir} does not lie under ${root}.`)
  let path = root
  for (const part of below === '' ? [] : below.split(sep)) {
    path = join(path, part)
    facts = makeDurableFolder(path)
    if (facts.isSymbolicLink()) throw new SymlinkRefused(path)
    if (!facts.isDirectory()) throw new Error(`${path} is in the way: it is not a folder.`)
  }
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) chmodSync(dir, 0o700)
}
