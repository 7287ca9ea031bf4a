import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { makeDurableFolder } from '../../platform/files/durable-folder.ts'
import { errnoOf } from '../../platform/base/errno.ts'

/** Some harnesses keep their history beside their settings. */
const MAX_SETTINGS_BYTES = 16 * 1_048_576
const MAX_LINKS = 20

/** A file of somebody else's as it stands; `text` is undefined when there is none. */
export interface SettingsFile {
  /** Where the bytes really are, links followed. */
  readonly path: string
  readonly text?: string
  readonly mode?: number
}

/** Undefined where there is nothing. Refuses a place that cannot be looked at: links in a circle, a folder that is closed to us. */
function factsOf(path: string, look: typeof statSync): Stats | undefined {
  try {
    return look(path)
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT' || errnoOf(thrown) === 'ENOTDIR') return undefined
    throw refuse(path, `cannot be reached (${messageOf(thrown)})`, thrown)
  }
}

/** A file that is not there yet, as it will be called once it is: the folders above it may be links. */
function throughFolders(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  const real = existsSync(folder) ? realpathSync(folder) : throughFolders(folder)
  return join(real, basename(path))
}

/** Where the bytes of a path are, or would be: links followed. */
export function realPathOf(path: string): string {
  let target = path
  for (let hops = 0; hops < MAX_LINKS; hops += 1) {
    const facts = factsOf(target, lstatSync)
    if (facts === undefined) return throughFolders(target)
    if (!facts.isSymbolicLink()) return realpathSync(target)
    const link = readlinkSync(target)
    target = isAbsolute(link) ? link : resolve(dirname(target), link)
  }
  return target
}

function refuse(path: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError('settings-unreadable', `${path} ${why}, so it was left as it is.`, {
    hint: 'Correct the file, then run the command again.',
    cause,
  })
}

/** Refuses what is no plain UTF-8 file: what cannot be written back exactly is not touched. */
export function readSettingsFile(path: string): SettingsFile {
  const target = realPathOf(path)
  const facts = factsOf(target, statSync)
  if (facts === undefined) return { path: target }
  if (!facts.isFile()) throw refuse(path, 'is not a plain file')
  if (facts.size > MAX_SETTINGS_BYTES) throw refuse(path, `has ${facts.size} bytes, which is too much for settings`)
  let bytes: Buffer
  try {
    bytes = readFileSync(target)
  } catch (thrown) {
    throw refuse(path, `cannot be read (${messageOf(thrown)})`, thrown)
  }
  const text = bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw refuse(path, 'is not UTF-8')
  return { path: target, text, mode: facts.mode & 0o777 }
}

/** Folders above `path` that do not exist, outermost first. Refuses where something else has the place of one. */
export function missingFolders(path: string): readonly string[] {
  const missing: string[] = []
  let folder = dirname(path)
  for (; !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) missing.unshift(folder)
  if (factsOf(folder, statSync)?.isDirectory() === false) throw refuse(path, `has no folder: ${folder} is none`)
  return missing
}

/** Writes `text` as a whole, or refuses when the file is no longer what `before` says. */
export function replaceSettingsFile(before: SettingsFile, text: string, newMode = 0o600): void {
  refuseChanged(before)
  try {
    for (const folder of missingFolders(before.path)) makeDurableFolder(folder)
    writeFileAtomic(before.path, text, { mode: before.mode ?? newMode })
  } catch (thrown) {
    throw new HoldfastError('forbidden', `${before.path} cannot be written: ${messageOf(thrown)}.`, {
      hint: 'Check who owns the file and its folder.',
      cause: thrown,
    })
  }
}

/** Refuses when the file is no longer what `before` says. */
export function removeSettingsFile(before: SettingsFile): void {
  refuseChanged(before)
  unlinkSync(before.path)
}

function refuseChanged(before: SettingsFile): void {
  if (readSettingsFile(before.path).text === before.text) return
  throw new HoldfastError('conflict', `${before.path} was changed by another program just now.`, {
    hint: 'Run the command again.',
  })
}

/** Innermost first; one that holds something, is gone, or cannot be removed stays as it is. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder)
    } catch {
      // Whatever keeps it there, an empty folder does no harm, and what is written after this must be.
      continue
    }
  }
}

/** Whether other accounts of this machine can read the file: its own bits, and those of every folder on the way. */
export function isReadableByOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const target = realPathOf(path)
  const own = factsOf(target, statSync)
  const { gid } = userInfo()
  const lets = (mode: number, group: number, bit: number) =>
    (mode & bit) !== 0 || (group !== gid && (mode & (bit << 3)) !== 0)
  if (own === undefined || !lets(own.mode, own.gid, 0o4)) return false
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const facts = statSync(folder, { throwIfNoEntry: false })
    if (facts !== undefined && !lets(facts.mode, facts.gid, 0o1)) return false
    if (dirname(folder) === folder) return true
  }
}
