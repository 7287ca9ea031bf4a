import type { Checkpoint } from '../kernel/checkpoint.ts'
import { composeNamed } from './compose.ts'
import { lintCheckpoint } from './format/lint.ts'
import type { ReadCheckpoint } from './format/parse.ts'
import { renderNamed } from './format/render.ts'
import type { NamedListing } from './use-cases.ts'

/** A named checkpoint whose file is gone, as the store has it. */
export function readStored(checkpoint: Checkpoint): {
  readonly read: ReadCheckpoint
  readonly listing: Omit<NamedListing, 'isOurs'>
} {
  const { createdAt, place, work } = checkpoint
  const name = checkpoint.name ?? checkpoint.id
  const { branch, head } = place
  const git = { ...(branch !== undefined && { branch }), ...(head !== undefined && { head }) }
  const files = work.files.flatMap(({ path, contentHash }) =>
    contentHash === undefined ? [] : [{ path, hash: contentHash }],
  )
  const composed = { ...composeNamed({ name, createdAt, observed: checkpoint, git }), files }
  const { task, sections } = composed
  return {
    read: { name, createdAt, task, sections, git, files },
    listing: {
      name,
      savedAt: createdAt,
      task,
      nextAction: sections.nextAction,
      ...(branch !== undefined && { branch }),
      score: lintCheckpoint(renderNamed(composed, () => '')).score,
    },
  }
}
