import type { FileAction } from '../event.ts'
import { baseName } from './paths.ts'
import type { FileEntry } from './state.ts'
import { LIMITS } from './state.ts'

function blank(path: string): FileEntry {
  return {
    path,
    action: 'read',
    reads: 0,
    edits: 0,
    lastOrder: 0,
    lastEditOrder: 0,
    lastNamedOrder: 0,
    lastAskedOrder: 0,
  }
}

function actionAfter(before: FileEntry, action: FileAction): FileAction {
  if (action === 'read') return before.edits > 0 ? before.action : 'read'
  // A file made in this session stays new to the repository however often it is edited after.
  return action === 'edited' && before.action === 'created' ? 'created' : action
}

function touched(before: FileEntry, action: FileAction, order: number): FileEntry {
  const isEdit = action !== 'read'
  return {
    ...before,
    action: actionAfter(before, action),
    reads: before.reads + (isEdit ? 0 : 1),
    edits: before.edits + (isEdit ? 1 : 0),
    lastOrder: order,
    lastEditOrder: isEdit ? order : before.lastEditOrder,
  }
}

/** Edited files outlive read ones, newer outlive older. Trimmed with slack, so that it is not done at every event. */
function bounded(files: readonly FileEntry[]): readonly FileEntry[] {
  if (files.length <= LIMITS.files * 1.25) return files
  const rank = (file: FileEntry) => (file.edits > 0 ? 1e9 : 0) + file.lastOrder
  return files.toSorted((a, b) => rank(b) - rank(a)).slice(0, LIMITS.files)
}

export function withTouch(
  files: readonly FileEntry[],
  path: string,
  { action, order }: { action: FileAction; order: number },
): readonly FileEntry[] {
  const isKnown = files.some((file) => file.path === path)
  const known = isKnown ? files : [...files, blank(path)]
  return bounded(known.map((file) => (file.path === path ? touched(file, action, order) : file)))
}

/** A message names a file by its path or its last parts; a name that fits several known files says nothing. */
function knownAs(files: readonly FileEntry[], path: string): string | undefined {
  const name = baseName(path)
  const matches = files.filter(
    (file) => file.path.endsWith(name) && (file.path === path || file.path.endsWith(`/${path}`)),
  )
  return matches.length === 1 ? matches[0]?.path : undefined
}

/** Of the files that were touched; the user's own naming is told apart. */
export function withNaming(
  files: readonly FileEntry[],
  paths: readonly string[],
  { order, isAsked }: { order: number; isAsked: boolean },
): readonly FileEntry[] {
  const named = new Set(paths.flatMap((path) => knownAs(files, path) ?? []))
  if (named.size === 0) return files
  const now = isAsked ? { lastNamedOrder: order, lastAskedOrder: order } : { lastNamedOrder: order }
  return files.map((file) => (named.has(file.path) ? { ...file, ...now } : file))
}
