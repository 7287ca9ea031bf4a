import { findPaths } from './markdown.ts'
import type { GitMark, ParsedCheckpoint } from './file-format.ts'

export const STALE_KINDS = ['missing-file', 'changed-file', 'branch', 'head', 'age'] as const
export type StaleKind = (typeof STALE_KINDS)[number]

export interface StaleWarning {
  readonly kind: StaleKind
  readonly text: string
}

export interface CurrentState {
  /** Absent outside a repository. */
  readonly git?: GitMark
  /** For each path of `listPathsToCheck`. `hash` is absent if unreadable. */
  readonly files: ReadonlyMap<string, { readonly isThere: boolean; readonly hash?: string }>
  /** UTC ISO. */
  readonly now: string
}

const MAX_PATHS = 100
const OLD_MS = 24 * 3_600_000

/** Paths with a hash, then paths named in the text. */
export function listPathsToCheck(read: ParsedCheckpoint): readonly string[] {
  const named = findPaths([read.task, ...Object.values(read.sections)].join('\n'))
  return [...new Set([...read.files.map(({ path }) => path), ...named])].slice(0, MAX_PATHS)
}

function fileWarnings(read: ParsedCheckpoint, files: CurrentState['files']): readonly StaleWarning[] {
  const hashes = new Map(read.files.map(({ path, hash }) => [path, hash]))
  return listPathsToCheck(read).flatMap((path): readonly StaleWarning[] => {
    const now = files.get(path)
    const before = hashes.get(path)
    if (now === undefined) return []
    if (!now.isThere)
      // Without a hash the file may never have existed.
      return [{ kind: 'missing-file', text: before === undefined ? `${path} does not exist` : `${path} is gone` }]
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
  if (createdAt === undefined) return [{ kind: 'age', text: 'it has no date' }]
  const days = Math.floor((Date.parse(now) - Date.parse(createdAt)) / OLD_MS)
  return days >= 1 ? [{ kind: 'age', text: `saved ${days} ${days === 1 ? 'day' : 'days'} ago` }] : []
}

/** What has changed since the checkpoint was saved. */
export function findStaleWarnings(read: ParsedCheckpoint, present: CurrentState): readonly StaleWarning[] {
  return [
    ...fileWarnings(read, present.files),
    ...gitWarnings(read.git, present.git),
    ...ageWarnings(read.createdAt, present.now),
  ]
}
