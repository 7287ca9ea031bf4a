import type { FileAction } from '../event.ts'
import type { FileEntry } from './state.ts'
import { LIMITS } from './state.ts'

export type Sighting = FileAction | 'mentioned'

function blank(path: string): FileEntry {
  return { path, action: 'read', reads: 0, edits: 0, mentions: 0, lastOrder: 0, lastEditOrder: 0 }
}

function actionAfter(before: FileEntry, sighting: Sighting): FileAction {
  if (sighting === 'mentioned') return before.action
  if (sighting === 'read') return before.edits > 0 ? before.action : 'read'
  // A file made in this session stays new to the repository however often it is edited after.
  if (sighting === 'edited' && before.action === 'created') return 'created'
  return sighting
}

function sighted(before: FileEntry, sighting: Sighting, order: number): FileEntry {
  const isEdit = sighting === 'edited' || sighting === 'created' || sighting === 'deleted'
  const isKnownByTouch = before.reads + before.edits > 0
  return {
    path: before.path,
    action: actionAfter(before, sighting),
    reads: before.reads + (sighting === 'read' ? 1 : 0),
    edits: before.edits + (isEdit ? 1 : 0),
    mentions: before.mentions + (sighting === 'mentioned' ? 1 : 0),
    // Being named is no touch: it must not make an old file look fresh.
    lastOrder: sighting === 'mentioned' && isKnownByTouch ? before.lastOrder : order,
    lastEditOrder: isEdit ? order : before.lastEditOrder,
  }
}

function keepRank(file: FileEntry): number {
  const touched = file.edits > 0 ? 2 : file.reads > 0 ? 1 : 0
  return touched * 1e9 + file.lastOrder
}

function bounded(files: readonly FileEntry[]): readonly FileEntry[] {
  if (files.length <= LIMITS.files * 1.25) return files
  return files.toSorted((a, b) => keepRank(b) - keepRank(a)).slice(0, LIMITS.files)
}

/** The files after some were touched or named at `order`. */
export function withFiles(
  files: readonly FileEntry[],
  paths: readonly string[],
  { sighting, order }: { sighting: Sighting; order: number },
): readonly FileEntry[] {
  if (paths.length === 0) return files
  const pending = new Set(paths)
  const next = files.map((file) => (pending.delete(file.path) ? sighted(file, sighting, order) : file))
  for (const path of pending) next.push(sighted(blank(path), sighting, order))
  return bounded(next)
}
