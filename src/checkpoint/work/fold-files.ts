import type { FileAction } from '../../kernel/event.ts'
import { UNSEEN, withSighting, type PathSighting, type PathSightings } from './path-sightings.ts'
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
    sightings: UNSEEN,
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
    sightings: withSighting(before.sightings, { source: isEdit ? 'edited' : 'read', order, share: 1 }),
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
  { action, order, sightings }: { action: FileAction; order: number; sightings: PathSightings },
): readonly FileEntry[] {
  const isKnown = files.some((file) => file.path === path)
  const known = isKnown ? files : [...files, { ...blank(path), sightings }]
  return bounded(known.map((file) => (file.path === path ? touched(file, action, order) : file)))
}

/** Of the files that were touched. */
export function withNaming(
  files: readonly FileEntry[],
  paths: readonly string[],
  sighting: PathSighting,
): readonly FileEntry[] {
  const named = new Set(paths)
  if (!files.some((file) => named.has(file.path))) return files
  return files.map((file) =>
    named.has(file.path) ? { ...file, sightings: withSighting(file.sightings, sighting) } : file,
  )
}
