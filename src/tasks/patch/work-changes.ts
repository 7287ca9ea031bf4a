import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { HoldfastError } from '../../kernel/errors.ts'
import { runGitFully } from '../../platform/git/git-write.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'

/** A path that differs from HEAD, in the index or on the disk, or is not tracked. */
export interface WorkChange {
  /** For people and patterns. */
  readonly path: string
  /** As git and the file system have it. */
  readonly bytes: Buffer
  /** Absent: there is nothing by this name any more. `other`: not a thing that git can take. */
  readonly onDisk: 'file' | 'link' | 'repository' | 'other' | undefined
  /** It is, or was, a symbolic link or another repository. */
  readonly isLink: boolean
  /** What `git diff` shows against HEAD is all of it; otherwise what is on the disk has to be looked at as a whole. */
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

function factsOf(root: string, path: Buffer): Stats | undefined {
  try {
    return lstatSync(fullPath(root, path))
  } catch {
    // Gone, below a file, or not to be looked at: git cannot take it either.
    return undefined
  }
}

/** A folder on the way that became a link leads to other files. */
function isBeyondLink(root: string, path: Buffer, known: Map<string, boolean>): boolean {
  const end = path.lastIndexOf(SLASH)
  if (end === -1) return false
  const folder = path.subarray(0, end)
  const key = folder.toString('latin1')
  const before = known.get(key)
  if (before !== undefined) return before
  const is = factsOf(root, folder)?.isSymbolicLink() === true || isBeyondLink(root, folder, known)
  known.set(key, is)
  return is
}

function kindOf(facts: Stats | undefined, isRepository: boolean): WorkChange['onDisk'] {
  if (facts === undefined) return undefined
  if (facts.isFile()) return 'file'
  if (facts.isSymbolicLink()) return 'link'
  // A folder where a file was: what is in it is listed by itself.
  if (facts.isDirectory()) return isRepository ? 'repository' : undefined
  return 'other'
}

interface StatusEntry {
  readonly path: Buffer
  readonly modes: readonly string[]
  readonly isInDiff: boolean
}

/** Reads one entry of `git status --porcelain=v2 -z --no-renames`; undefined for a heading. */
function entryOf(entry: string): StatusEntry | undefined {
  const fields = entry.split(' ')
  const from = (count: number) => Buffer.from(fields.slice(count).join(' '), 'latin1')
  if (entry.startsWith('1 ')) {
    const states = fields[1] ?? ''
    // Taken out of the index and still on the disk, it is shown as gone.
    return { path: from(8), modes: fields.slice(3, 6), isInDiff: !states.startsWith('D') }
  }
  if (entry.startsWith('u ')) return { path: from(10), modes: fields.slice(3, 7), isInDiff: false }
  if (entry.startsWith('? ')) return { path: from(1), modes: [], isInDiff: false }
  return undefined
}

/** Everything uncommitted outside the records of tasks, without a byte of it being copied. */
export async function listWorkChanges(root: string): Promise<readonly WorkChange[]> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=all', ...OUTSIDE_TASKS]
  const { exitStatus, stdout, stderr } = await runGitFully(root, args)
  if (exitStatus !== 0) throw new HoldfastError('conflict', `git status failed: ${stderr.trim()}`)
  const beyond = new Map<string, boolean>()
  const changes = new Map<string, WorkChange>()
  // By bytes: a name need not be text.
  for (const listed of stdout.toString('latin1').split('\0')) {
    const entry = entryOf(listed)
    if (entry === undefined) continue
    // Of what is not tracked, git lists only another repository by its folder.
    const isFolder = entry.path.at(-1) === SLASH
    const bytes = isFolder ? entry.path.subarray(0, -1) : entry.path
    const isRepository = isFolder || entry.modes.includes('160000')
    const onDisk = isBeyondLink(root, bytes, beyond) ? undefined : kindOf(factsOf(root, bytes), isRepository)
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
