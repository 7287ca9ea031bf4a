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
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { makeDurableFolder } from '../../platform/files/durable-folder.ts'
import { getErrorCode } from '../../platform/base/errno.ts'
import { refuseSettings } from '../contract/settings-text.ts'

/** Some harnesses store their history in the same file as their settings. */
const MAX_SETTINGS_BYTES = 16 * 1_048_576
const MAX_LINKS = 20

/** A foreign file; `text` is undefined when it does not exist. */
export interface SettingsFile {
  /** The real path, links followed. */
  readonly path: string
  readonly text?: string
  readonly mode?: number
}

/** Undefined where nothing exists. Throws where that cannot be determined: circular links, an inaccessible folder. */
function findStats(path: string, look: typeof statSync): Stats | undefined {
  try {
    return look(path)
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT' || getErrorCode(thrown) === 'ENOTDIR') return undefined
    throw refuseSettings(path, `cannot be reached (${getErrorMessage(thrown)})`, thrown)
  }
}

/** The real path of a file that does not exist yet: the folders above it may be links. */
function throughFolders(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  const real = existsSync(folder) ? realpathSync(folder) : throughFolders(folder)
  return join(real, basename(path))
}

/** The real path of a file, existing or not. */
export function resolveRealPath(path: string): string {
  let target = path
  for (let hops = 0; hops < MAX_LINKS; hops += 1) {
    const stats = findStats(target, lstatSync)
    if (stats === undefined) return throughFolders(target)
    if (!stats.isSymbolicLink()) return realpathSync(target)
    const link = readlinkSync(target)
    target = isAbsolute(link) ? link : resolve(dirname(target), link)
  }
  return target
}

/** Throws for anything but a regular UTF-8 file: what cannot be written back exactly is not touched. */
export function readSettingsFile(path: string): SettingsFile {
  const target = resolveRealPath(path)
  const stats = findStats(target, statSync)
  if (stats === undefined) return { path: target }
  if (!stats.isFile()) throw refuseSettings(path, 'is not a regular file')
  if (stats.size > MAX_SETTINGS_BYTES)
    throw refuseSettings(path, `has ${stats.size} bytes, which is too much for settings`)
  let bytes: Buffer
  try {
    bytes = readFileSync(target)
  } catch (thrown) {
    throw refuseSettings(path, `cannot be read (${getErrorMessage(thrown)})`, thrown)
  }
  const text = bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw refuseSettings(path, 'is not UTF-8')
  return { path: target, text, mode: stats.mode & 0o777 }
}

/** Folders above `path` that do not exist, outermost first. Throws where one of them is something else than a folder. */
export function missingFolders(path: string): readonly string[] {
  const missing: string[] = []
  let folder = dirname(path)
  for (; !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) missing.unshift(folder)
  if (findStats(folder, statSync)?.isDirectory() === false)
    throw refuseSettings(path, `has no folder: ${folder} is not a folder`)
  return missing
}

/** Writes the whole text. Throws when the file has changed since `before`. */
export function replaceSettingsFile(before: SettingsFile, text: string, newMode = 0o600): void {
  refuseChanged(before)
  try {
    for (const folder of missingFolders(before.path)) makeDurableFolder(folder)
    writeFileAtomic(before.path, text, { mode: before.mode ?? newMode })
  } catch (thrown) {
    throw new HoldfastError('forbidden', `${before.path} cannot be written: ${getErrorMessage(thrown)}.`, {
      hint: 'Check who owns the file and its folder.',
      cause: thrown,
    })
  }
}

/** Throws when the file has changed since `before`. */
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

/** Innermost first; a folder that is not empty, gone, or cannot be removed is left alone. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder)
    } catch {
      // An empty folder does no harm, and the writes after this are needed.
      continue
    }
  }
}

/** Whether other accounts of this machine can read the file: by its own mode, and that of every folder above. */
export function isReadableByOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const target = resolveRealPath(path)
  const own = findStats(target, statSync)
  const { gid } = userInfo()
  const lets = (mode: number, group: number, bit: number) =>
    (mode & bit) !== 0 || (group !== gid && (mode & (bit << 3)) !== 0)
  if (own === undefined || !lets(own.mode, own.gid, 0o4)) return false
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (stats !== undefined && !lets(stats.mode, stats.gid, 0o1)) return false
    if (dirname(folder) === folder) return true
  }
}
