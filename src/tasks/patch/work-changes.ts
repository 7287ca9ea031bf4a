import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { HoldfastError } from '../../kernel/errors.ts'
import { runGitFully } from '../../platform/git/git-command.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'

/** A path that differs from HEAD, or is untracked. */
export interface WorkChange {
  /** For display and patterns. */
  readonly path: string
  /** As in git and the file system. */
  readonly bytes: Buffer
  /** Undefined: no longer exists. `other`: not a type that git can store. */
  readonly onDisk: 'file' | 'link' | 'repository' | 'other' | undefined
  /** It is, or was, a symbolic link or another repository. */
  readonly isLink: boolean
  /** Whether `git diff` against HEAD shows it completely; otherwise the file on disk has to be read. */
  readonly isInDiff: boolean
  /** Neither HEAD nor the index has it. */
  readonly isUntracked: boolean
}

const LINK_MODES = new Set(['120000', '160000'])
const SLASH = 0x2f

export function fullPath(root: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), path])
}

export function linkTarget(root: string, path: Buffer): Buffer {
  return readlinkSync(fullPath(root, path), 'buffer')
}

function statPath(root: string, path: Buffer): Stats | undefined {
  try {
    return lstatSync(fullPath(root, path))
  } catch {
    // Missing, below a file, or not permitted: git cannot store it either.
    return undefined
  }
}

/** Whether a parent folder is a link, so that the path leads elsewhere. */
function isBehindLink(root: string, path: Buffer, known: Map<string, boolean>): boolean {
  const end = path.lastIndexOf(SLASH)
  if (end === -1) return false
  const folder = path.subarray(0, end)
  const key = folder.toString('latin1')
  const before = known.get(key)
  if (before !== undefined) return before
  const is = statPath(root, folder)?.isSymbolicLink() === true || isBehindLink(root, folder, known)
  known.set(key, is)
  return is
}

function classifyFile(facts: Stats | undefined, isRepository: boolean): WorkChange['onDisk'] {
  if (facts === undefined) return undefined
  if (facts.isFile()) return 'file'
  if (facts.isSymbolicLink()) return 'link'
  // A folder that replaced a file: its files are listed separately.
  if (facts.isDirectory()) return isRepository ? 'repository' : undefined
  return 'other'
}

interface StatusEntry {
  readonly path: Buffer
  readonly modes: readonly string[]
  readonly isInDiff: boolean
}

/** Reads one entry of `git status --porcelain=v2 -z --no-renames`; undefined for a heading. */
function parseStatusEntry(entry: string): StatusEntry | undefined {
  const fields = entry.split(' ')
  const from = (count: number) => Buffer.from(fields.slice(count).join(' '), 'latin1')
  if (entry.startsWith('1 ')) {
    const states = fields[1] ?? ''
    // Removed from the index but still on disk: the diff shows it as deleted.
    return { path: from(8), modes: fields.slice(3, 6), isInDiff: !states.startsWith('D') }
  }
  if (entry.startsWith('u ')) return { path: from(10), modes: fields.slice(3, 7), isInDiff: false }
  if (entry.startsWith('? ')) return { path: from(1), modes: [], isInDiff: false }
  return undefined
}

/** All uncommitted paths outside task records. Copies no content. */
export async function listWorkChanges(root: string): Promise<readonly WorkChange[]> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=all', ...OUTSIDE_TASKS]
  const { exitStatus, stdout, stderr } = await runGitFully(root, args)
  if (exitStatus !== 0) throw new HoldfastError('conflict', `git status failed: ${stderr.trim()}`)
  const behindLink = new Map<string, boolean>()
  const changes = new Map<string, WorkChange>()
  // Names are bytes, not necessarily UTF-8.
  for (const listed of stdout.toString('latin1').split('\0')) {
    const entry = parseStatusEntry(listed)
    if (entry === undefined) continue
    // Git lists an untracked folder only if it is another repository.
    const isFolder = entry.path.at(-1) === SLASH
    const bytes = isFolder ? entry.path.subarray(0, -1) : entry.path
    const isRepository = isFolder || entry.modes.includes('160000')
    const onDisk = isBehindLink(root, bytes, behindLink) ? undefined : classifyFile(statPath(root, bytes), isRepository)
    const before = changes.get(bytes.toString('latin1'))
    changes.set(bytes.toString('latin1'), {
      path: bytes.toString('utf8'),
      bytes,
      onDisk,
      isLink:
        before?.isLink === true || onDisk === 'link' || isRepository || entry.modes.some((m) => LINK_MODES.has(m)),
      isInDiff: entry.isInDiff && before?.isInDiff !== false,
      isUntracked: entry.modes.length === 0 && before?.isUntracked !== false,
    })
  }
  return [...changes.values()]
}
