import type { Item } from './item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

const MAX_PATHS = 10

/** What git sees changed here and now, and no tool was seen to edit: a shell made it, or a person did. */
export function uncommittedItems({ git, view, files, uncommitted }: CheckedView): readonly Item[] {
  const edited = new Set(view.work.files.filter((file) => file.edits > 0).map((file) => file.path))
  const paths = git?.dirty?.paths.filter((path) => !edited.has(path)) ?? []
  return paths.slice(0, MAX_PATHS).map((path) => ({
    section: 'uncommitted',
    text: path,
    value: WEIGHTS.uncommitted * WEIGHTS.section.uncommitted,
    origin: 'git',
    reason: 'changed in the worktree, not committed, and edited by no tool that was seen',
    verdict: files.get(path) ?? uncommitted.get(path) ?? 'cannot-tell',
  }))
}
