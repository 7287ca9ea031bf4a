import { getErrorMessage } from '../../kernel/errors.ts'
import { writePatchBundle } from '../patch/patch-bundle.ts'
import { toFileStamp, type RunPorts } from './run-ports.ts'

export type Rollback =
  | {
      readonly is: 'done'
      readonly files: number
      readonly patch: string | undefined
      readonly unchanged: readonly string[]
    }
  | { readonly is: 'not-done'; readonly why: string }

/**
 * Restores the files to the start of the session. Saves a patch first: files that the patch leaves out stay unchanged, and
 * without a patch nothing is restored. Commits stay.
 */
export async function rollBack(ports: RunPorts, tree: string | undefined): Promise<Rollback> {
  const { snapshots, folder, clock } = ports
  if (snapshots === undefined || tree === undefined) return { is: 'not-done', why: 'this is not a git repository' }
  try {
    const now = await snapshots.take()
    if (now === tree) return { is: 'done', files: 0, patch: undefined, unchanged: [] }
    const bundle = await writePatchBundle(folder, `rollback-${toFileStamp(clock.now())}`)
    if (bundle.kind === 'none' && !bundle.isClean) return { is: 'not-done', why: bundle.reason }
    const unchanged = bundle.kind === 'patch' ? bundle.leftOut : []
    const changes = await snapshots.restore(tree, unchanged)
    return {
      is: 'done',
      files: changes.length,
      patch: bundle.kind === 'patch' ? folder.resolvePath(bundle.file) : undefined,
      unchanged,
    }
  } catch (thrown) {
    return { is: 'not-done', why: getErrorMessage(thrown) }
  }
}

export function describeRollback(rollback: Rollback): string {
  if (rollback.is === 'not-done') return `The files were not restored: ${rollback.why}.`
  const { files, patch, unchanged } = rollback
  if (files === 0 && unchanged.length === 0) return 'There was nothing to restore.'
  const words = [`${files} ${files === 1 ? 'file was' : 'files were'} restored to the start of the session.`]
  if (patch !== undefined) words.push(`The changes are in ${patch}.`)
  if (unchanged.length > 0)
    words.push(`Not restored, because the patch does not contain them: ${unchanged.join(', ')}.`)
  return words.join(' ')
}
