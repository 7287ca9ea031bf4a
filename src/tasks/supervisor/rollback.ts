import { messageOf } from '../../kernel/errors.ts'
import { writePatchBundle } from '../patch/patch-bundle.ts'
import { fileStamp, type RunWorld } from './run-ports.ts'

export type Rollback =
  | {
      readonly is: 'done'
      readonly files: number
      readonly patch: string | undefined
      readonly kept: readonly string[]
    }
  | { readonly is: 'not-done'; readonly why: string }

/**
 * Puts the files back to where the session began. What is there now goes into a patch first; a file that the patch cannot
 * hold stays as it is, and without a patch nothing is touched. Commits stay where they are.
 */
export async function rollBack(world: RunWorld, tree: string | undefined): Promise<Rollback> {
  const { snapshots, folder, clock } = world
  if (snapshots === undefined || tree === undefined) return { is: 'not-done', why: 'this is no git repository' }
  try {
    const now = await snapshots.take()
    if (now === tree) return { is: 'done', files: 0, patch: undefined, kept: [] }
    const bundle = await writePatchBundle(folder, `rollback-${fileStamp(clock.now())}`)
    if (bundle.kind === 'none' && !bundle.isClean) return { is: 'not-done', why: bundle.reason }
    const kept = bundle.kind === 'patch' ? bundle.leftOut : []
    const changes = await snapshots.restore(tree, kept)
    return {
      is: 'done',
      files: changes.length,
      patch: bundle.kind === 'patch' ? folder.pathOf(bundle.file) : undefined,
      kept,
    }
  } catch (thrown) {
    return { is: 'not-done', why: messageOf(thrown) }
  }
}

export function describeRollback(rollback: Rollback): string {
  if (rollback.is === 'not-done') return `The files were left as they are: ${rollback.why}.`
  const { files, patch, kept } = rollback
  if (files === 0 && kept.length === 0) return 'There was nothing to put back.'
  const words = [`${files} ${files === 1 ? 'file was' : 'files were'} put back to where the session began.`]
  if (patch !== undefined) words.push(`What had been changed is in ${patch}.`)
  if (kept.length > 0) words.push(`Left as they are, because the patch does not hold them: ${kept.join(', ')}.`)
  return words.join(' ')
}
