import type { Item } from '../items/item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { createShortPath } from './files.ts'

/** A merge or rebase that stopped at conflicts: what git lists now, else what it printed then and what was edited since. */
export function mergeItems({ view, git, isChecked }: Pick<CheckedView, 'view' | 'git' | 'isChecked'>): readonly Item[] {
  const { merge, files } = view.work
  const now = isChecked && git !== undefined ? (git.unmerged ?? []) : undefined
  const conflicts = now ?? merge?.conflicts ?? []
  if (conflicts.length === 0) return []
  const short = createShortPath([...files.map(({ path }) => path), ...conflicts])
  const wasEdited = (path: string) =>
    files.some((file) => file.path === path && (file.lastEditOrder ?? 0) > (merge?.order ?? Number.POSITIVE_INFINITY))
  const edited = conflicts.filter(wasEdited)
  return [
    {
      section: 'merge',
      content: {
        kind: 'merge',
        ...(merge === undefined ? {} : { command: merge.command }),
        conflicts: conflicts.map(short),
        edited: edited.map(short),
      },
      origin: 'git',
      reason: now === undefined ? 'printed by git, not concluded since' : 'git lists the conflicts now',
    },
  ]
}
