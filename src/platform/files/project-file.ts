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
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { writeFileAtomic } from './atomic-file.ts'
import { makeDurableFolder, syncFolder } from './durable-folder.ts'
import { getErrorCode } from '../base/errno.ts'
import { sha256 } from '../base/crypto.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { wallMs } from '../base/clock.ts'

/** The lock is held for milliseconds: an older one was left by a killed process. */
const STALE_MS = 10_000
const PATIENCE_MS = 5_000
const PAUSE_MS = 15

function tryTake(path: string): boolean {
  try {
    closeSync(
      openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600),
    )
    return true
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'EEXIST') throw thrown
  }
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Math.abs(wallMs() - found.mtimeMs) > STALE_MS) remove(path)
  return false
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (thrown) {
    // Another process removed the same stale lock.
    if (getErrorCode(thrown) !== 'ENOENT') throw thrown
  }
}

/** Excludes all other processes that change this file through Holdfast: read, decide and write inside `run`. */
export async function withProjectLock<T>(at: ProjectPath, run: () => T): Promise<T> {
  const parts = at.path.split('/')
  const lock = { root: at.root, path: [...parts.slice(0, -1), `.${parts.at(-1)}.holdfast-lock`].join('/') }
  const givenUpMs = wallMs() + PATIENCE_MS
  while (!withProjectFolder(lock, tryTake)) {
    if (wallMs() > givenUpMs)
      throw new HoldfastError('conflict', `${at.path} is being changed by another process.`, {
        hint: `Try again. If no other process is running, delete ${lock.path}.`,
      })
    await sleep(PAUSE_MS)
  }
  try {
    return run()
  } finally {
    withProjectFolder(lock, remove)
  }
}

export interface FilePresence {
  readonly isThere: boolean
  /** SHA-256; absent when the file is too large, a link, or unreadable. */
  readonly hash?: string
}

/** Whether a project file exists, and its hash. A link or a device exists but is not read. */
export function hashProjectFile(at: ProjectPath, maxBytes: number): FilePresence {
  try {
    const found = readProjectFile(at, maxBytes)
    if (found === undefined) return { isThere: false }
    return { isThere: true, hash: sha256(found.bytes) }
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return { isThere: thrown.code !== 'invalid-input' }
    throw thrown
  }
}

/**
 * A file inside a repository, which may be hostile: neither the file nor a folder on its path may be a link, a device, a pipe,
 * or a hard link to a file elsewhere.
 */
export interface ProjectText {
  readonly bytes: Buffer
  readonly mode: number
  readonly modifiedAt: string
}

export interface ProjectPath {
  /** The project's folder; links above it are allowed. */
  readonly root: string
  /** Relative to the root, separated by `/`. */
  readonly path: string
}

function refuse(path: string, why: string): never {
  throw new HoldfastError('forbidden', `${path} ${why}; Holdfast does not touch it.`, {
    hint: 'Replace it with a plain file or folder inside the project.',
  })
}

function splitPath({ path }: ProjectPath): readonly string[] {
  const parts = path.split('/')
  if (isAbsolute(path) || parts.some((part) => part === '' || part === '.' || part === '..' || /[\0\\]/.test(part)))
    throw new HoldfastError('invalid-input', `${JSON.stringify(path)} is not a path inside the project.`)
  return parts
}

const CAN_PIN = process.platform === 'linux' && existsSync('/proc/self/fd')
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens a child folder by handle, so that a folder replaced by a link meanwhile is not followed. */
function openBelow(parent: number, name: string, shown: string, isMade: boolean): number | undefined {
  const path = `/proc/self/fd/${parent}/${name}`
  if (isMade) makeDurableFolder(path, 0o755)
  try {
    return openSync(path, FOLDER)
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return undefined
    if (getErrorCode(thrown) === 'ELOOP' || getErrorCode(thrown) === 'ENOTDIR') refuse(shown, 'is not a plain folder')
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

function requireRoot(root: string): void {
  if (!existsSync(root)) throw new HoldfastError('not-found', `There is no directory ${root}.`)
}

/** A repository, or governed tasks of before. */
const PROJECT_MARKS = ['.git', 'tasks']

/** Refuses to write in a folder that contains every project: a process has it as its working folder when none was chosen. */
export function requireOneProject(root: string): void {
  const real = realpathSync(root)
  const home = existsSync(homedir()) ? realpathSync(homedir()) : homedir()
  const isHome = real === home
  const isProject = PROJECT_MARKS.some((name) => existsSync(join(real, name)))
  if (isProject || (!isHome && dirname(real) !== real)) return
  const what = isHome ? 'your home folder' : 'the root of the file system'
  throw new HoldfastError('invalid-input', `${real} is ${what}, not a project, so no file was written there.`, {
    hint: `Run it in the folder of a project, or name one: \`project_name\` takes its name or path.${isHome ? ' A home folder' : ' A root'} that is a git repository is accepted.`,
  })
}

/** Undefined when the folder does not exist and must not be made. */
function withFolder<T>(
  root: string,
  parts: readonly string[],
  isMade: boolean,
  use: (folder: string) => T,
): T | undefined {
  if (isMade) {
    requireRoot(root)
    requireOneProject(root)
  } else if (!existsSync(root)) return undefined
  try {
    const real = realpathSync(root)
    return CAN_PIN ? withPinnedFolder(real, parts, isMade, use) : withCheckedFolder(real, parts, isMade, use)
  } catch (cause) {
    const code = getErrorCode(cause) ?? ''
    if (!DENIED.has(code)) throw cause
    // Not the system's message: it names a handle under /proc.
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
    if (getErrorCode(thrown) === 'ENOENT') return undefined
    if (getErrorCode(thrown) === 'ELOOP') refuse(shown, 'is a symbolic link')
    throw new HoldfastError('forbidden', `${shown} cannot be read: ${getErrorMessage(thrown)}`, { cause: thrown })
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

/** Undefined when the file is missing. */
export function readProjectFile(at: ProjectPath, maxBytes: number): ProjectText | undefined {
  const parts = splitPath(at)
  return withFolder(at.root, parts.slice(0, -1), false, (folder) =>
    readPlain(`${folder}/${parts.at(-1)}`, at.path, maxBytes),
  )
}

export interface ProjectWrite {
  /** The content the file must still have, `undefined` for no file: a change made meanwhile fails with `conflict`. */
  readonly expected?: { readonly bytes: Buffer | undefined }
  /** Of a new file; defaults to 0644. */
  readonly mode?: number
}

const MAX_EXPECTED_BYTES = 64_000_000

/** Replaces the whole file and makes missing folders; an existing file keeps its mode. */
export function writeProjectFile(at: ProjectPath, content: string | Uint8Array, options: ProjectWrite = {}): void {
  const parts = splitPath(at)
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

/** Gives `use` a path that no link can redirect, with missing folders made. */
export function withProjectFolder<T>(at: ProjectPath, use: (path: string) => T): T | undefined {
  const parts = splitPath(at)
  return withFolder(at.root, parts.slice(0, -1), true, (folder) => use(`${folder}/${parts.at(-1)}`))
}

/** True when there was one. */
export function deleteProjectFile(at: ProjectPath): boolean {
  const parts = splitPath(at)
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

/** The names in a project folder, sorted; empty when there is no such folder. */
export function listProjectFolder(at: ProjectPath): readonly string[] {
  return withFolder(at.root, splitPath(at), false, (folder) => readdirSync(folder).sort()) ?? []
}

/** The real path of a file that is reached through a link inside the project, if that stays inside. */
export function resolveInside({ root, path }: ProjectPath): ProjectPath {
  requireRoot(root)
  const real = realpathSync(root)
  let target: string
  try {
    target = realpathSync(join(real, path))
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'ENOENT') throw thrown
    if (lstatSync(join(real, path), { throwIfNoEntry: false }) !== undefined) refuse(path, 'is a dangling link')
    return { root: real, path }
  }
  const below = relative(real, target)
  if (below === '' || below.startsWith('..') || isAbsolute(below)) refuse(path, 'points outside the project')
  return { root: real, path: below.split(sep).join('/') }
}
