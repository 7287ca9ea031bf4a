import { namedPaths } from './named-paths.ts'
import type { GitMark } from './named-checkpoint.ts'
import type { ReadCheckpoint } from './parse.ts'

export const STALE_KINDS = ['missing-file', 'changed-file', 'branch', 'head', 'age'] as const
export type StaleKind = (typeof STALE_KINDS)[number]

export interface StaleWarning {
  readonly kind: StaleKind
  readonly text: string
}

export interface PresentState {
  /** Absent outside of a repository. */
  readonly git?: GitMark
  /** For each path of `pathsToCheck`: whether it is there, and its hash where it could be read. */
  readonly files: ReadonlyMap<string, { readonly isThere: boolean; readonly hash?: string }>
  /** UTC ISO. */
  readonly now: string
}

const MAX_PATHS = 100
const OLD_MS = 24 * 3_600_000

/** Files that a checkpoint relies on: those it keeps a hash of, then those its text names. */
export function pathsToCheck(read: ReadCheckpoint): readonly string[] {
  const named = namedPaths([read.task, ...Object.values(read.sections)].join('\n'))
  return [...new Set([...read.files.map(({ path }) => path), ...named])].slice(0, MAX_PATHS)
}

function fileWarnings(read: ReadCheckpoint, files: PresentState['files']): readonly StaleWarning[] {
  const hashes = new Map(read.files.map(({ path, hash }) => [path, hash]))
  return pathsToCheck(read).flatMap((path): readonly StaleWarning[] => {
    const now = files.get(path)
    const before = hashes.get(path)
    if (now === undefined) return []
    if (!now.isThere)
      // Only of a file that was there when it was saved can it be said that it went.
      return [{ kind: 'missing-file', text: before === undefined ? `${path} is not there` : `${path} is gone` }]
    if (before === undefined || now.hash === undefined || now.hash === before) return []
    return [{ kind: 'changed-file', text: `${path} has changed since` }]
  })
}

function gitWarnings(before: GitMark | undefined, now: GitMark | undefined): readonly StaleWarning[] {
  if (before === undefined || now === undefined) return []
  const found: StaleWarning[] = []
  if (before.branch !== undefined && before.branch !== now.branch)
    found.push({ kind: 'branch', text: `saved on branch ${before.branch}, now on ${now.branch ?? 'no branch'}` })
  if (before.head !== undefined && now.head !== undefined && !now.head.startsWith(before.head))
    found.push({ kind: 'head', text: `HEAD was ${before.head.slice(0, 10)}, now ${now.head.slice(0, 10)}` })
  return found
}

function ageWarnings(createdAt: string | undefined, now: string): readonly StaleWarning[] {
  if (createdAt === undefined) return [{ kind: 'age', text: 'it does not say when it was saved' }]
  const days = Math.floor((Date.parse(now) - Date.parse(createdAt)) / OLD_MS)
  return days >= 1 ? [{ kind: 'age', text: `saved ${days} ${days === 1 ? 'day' : 'days'} ago` }] : []
}

/** What has become of the world since it was saved. Empty when it still holds. */
export function staleWarnings(read: ReadCheckpoint, present: PresentState): readonly StaleWarning[] {
  return [
    ...fileWarnings(read, present.files),
    ...gitWarnings(read.git, present.git),
    ...ageWarnings(read.createdAt, present.now),
  ]
}
