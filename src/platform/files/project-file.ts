import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  unlinkSync,
} from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { writeFileAtomic } from './atomic-file.ts'
import { makeDurableFolder, syncFolder } from './durable-folder.ts'
import { errnoOf } from '../base/errno.ts'

/**
 * Files inside a repository, which may be hostile: no folder on the way and no file may be a link, a device, a pipe,
 * or a second name of a file elsewhere.
 */
export interface ProjectText {
  readonly bytes: Buffer
  readonly mode: number
  readonly modifiedAt: string
}

export interface ProjectPath {
  /** The project's folder; links above it are the user's own affair. */
  readonly root: string
  /** Below the root, `/` between the names. */
  readonly path: string
}

function refuse(path: string, why: string): never {
  throw new HoldfastError('forbidden', `${path} ${why}; Holdfast leaves it alone.`, {
    hint: 'Replace it with a plain file or folder inside the project.',
  })
}

function partsOf({ path }: ProjectPath): readonly string[] {
  const parts = path.split('/')
  if (isAbsolute(path) || parts.some((part) => part === '' || part === '.' || part === '..' || /[\0\\]/.test(part)))
    throw new HoldfastError('invalid-input', `${JSON.stringify(path)} is no path inside the project.`)
  return parts
}

const CAN_PIN = process.platform === 'linux' && existsSync('/proc/self/fd')
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** A step down by handle, so that a folder swapped for a link meanwhile leads nowhere. */
function openBelow(parent: number, name: string, shown: string, isMade: boolean): number | undefined {
  const path = `/proc/self/fd/${parent}/${name}`
  if (isMade) makeDurableFolder(path, 0o755)
  try {
    return openSync(path, FOLDER)
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    if (errnoOf(thrown) === 'ELOOP' || errnoOf(thrown) === 'ENOTDIR') refuse(shown, 'is not a plain folder')
    throw thrown
  }
}

function withPinnedFolder<T>(
  root: string,
  parts: readonly string[],
  isMade: boolean,
  use: (folder: string) => T,
): T | undefined {
  let at = openSync(root, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
  try {
    for (const [n, part] of parts.entries()) {
      const below = openBelow(at, part, parts.slice(0, n + 1).join('/'), isMade)
      if (below === undefined) return undefined
      closeSync(at)
      at = below
    }
    return use(`/proc/self/fd/${at}`)
  } finally {
    closeSync(at)
  }
}

function withCheckedFolder<T>(
  root: string,
  parts: readonly string[],
  isMade: boolean,
  use: (folder: string) => T,
): T | undefined {
  let path = root
  for (const part of parts) {
    path = join(path, part)
    if (isMade) makeDurableFolder(path, 0o755)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts === undefined) return undefined
    if (!facts.isDirectory()) refuse(relative(root, path), 'is not a plain folder')
  }
  return use(path)
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

/** Undefined when the folder does not exist and is not to be made. */
function withFolder<T>(
  root: string,
  parts: readonly string[],
  isMade: boolean,
  use: (folder: string) => T,
): T | undefined {
  try {
    const real = realpathSync(root)
    return CAN_PIN ? withPinnedFolder(real, parts, isMade, use) : withCheckedFolder(real, parts, isMade, use)
  } catch (cause) {
    const code = errnoOf(cause) ?? ''
    if (!DENIED.has(code)) throw cause
    // Not the system's own words: they name a handle under /proc, which means nothing to anybody.
    throw new HoldfastError('forbidden', `${join(root, ...parts)} cannot be used: ${code}.`, {
      hint: 'Check its permissions and the space on its disk.',
      cause,
    })
  }
}

function readPlain(path: string, shown: string, maxBytes: number): ProjectText | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    if (errnoOf(thrown) === 'ELOOP') refuse(shown, 'is a symbolic link')
    throw new HoldfastError('forbidden', `${shown} cannot be read: ${messageOf(thrown)}`, { cause: thrown })
  }
  try {
    const facts = fstatSync(fd)
    if (!facts.isFile()) refuse(shown, 'is not a regular file')
    if (facts.nlink > 1) refuse(shown, 'is a hard link to another file')
    if (facts.size > maxBytes)
      throw new HoldfastError('too-large', `${shown} has ${facts.size} bytes; at most ${maxBytes} are read.`)
    const bytes = Buffer.alloc(facts.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, null)
    return { bytes: bytes.subarray(0, length), mode: facts.mode & 0o777, modifiedAt: facts.mtime.toISOString() }
  } finally {
    closeSync(fd)
  }
}

/** Undefined when there is none. */
export function readProjectFile(at: ProjectPath, maxBytes: number): ProjectText | undefined {
  const parts = partsOf(at)
  return withFolder(at.root, parts.slice(0, -1), false, (folder) =>
    readPlain(`${folder}/${parts.at(-1)}`, at.path, maxBytes),
  )
}

export interface ProjectWrite {
  /** What the file must still hold, `undefined` for no file: a change made meanwhile is refused with `conflict`. */
  readonly expected?: { readonly bytes: Buffer | undefined }
  /** Of a new file; 0644 unless told. */
  readonly mode?: number
}

const MAX_EXPECTED_BYTES = 64_000_000

/** Replaces the file as a whole, making folders on the way; an existing file keeps its mode. */
export function writeProjectFile(at: ProjectPath, content: string | Uint8Array, options: ProjectWrite = {}): void {
  const parts = partsOf(at)
  withFolder(at.root, parts.slice(0, -1), true, (folder) => {
    const path = `${folder}/${parts.at(-1)}`
    const now = readPlain(path, at.path, MAX_EXPECTED_BYTES)
    if (options.expected !== undefined && !isSame(now?.bytes, options.expected.bytes))
      throw new HoldfastError('conflict', `${at.path} was changed meanwhile, so nothing was written.`, {
        hint: 'Try again.',
      })
    writeFileAtomic(path, content, { mode: now?.mode ?? options.mode ?? 0o644 })
  })
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b)
}

/** For what is done beside a file: `use` is given a path that no link can lead astray, with the folders on the way made. */
export function withProjectFolder<T>(at: ProjectPath, use: (path: string) => T): T | undefined {
  const parts = partsOf(at)
  return withFolder(at.root, parts.slice(0, -1), true, (folder) => use(`${folder}/${parts.at(-1)}`))
}

/** True when there was one. */
export function deleteProjectFile(at: ProjectPath): boolean {
  const parts = partsOf(at)
  return (
    withFolder(at.root, parts.slice(0, -1), false, (folder) => {
      const path = `${folder}/${parts.at(-1)}`
      if (readPlain(path, at.path, MAX_EXPECTED_BYTES) === undefined) return false
      unlinkSync(path)
      syncFolder(folder)
      return true
    }) ?? false
  )
}

/** Names in a folder of the project, sorted; empty when there is no such folder. */
export function listProjectFolder(at: ProjectPath): readonly string[] {
  return withFolder(at.root, partsOf(at), false, (folder) => readdirSync(folder).sort()) ?? []
}

/** Where a file really lies, when a link inside the project leads to it and does not lead out. */
export function resolveInside({ root, path }: ProjectPath): ProjectPath {
  const real = realpathSync(root)
  let target: string
  try {
    target = realpathSync(join(real, path))
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown
    if (lstatSync(join(real, path), { throwIfNoEntry: false }) !== undefined) refuse(path, 'is a link to nothing')
    return { root: real, path }
  }
  const below = relative(real, target)
  if (below === '' || below.startsWith('..') || isAbsolute(below)) refuse(path, 'leads out of the project')
  return { root: real, path: below.split(sep).join('/') }
}
