import { HoldfastError } from '../../../kernel/errors.ts'
import { runGitFully } from '../../../platform/git/git-write.ts'
import { inspectPatch, withPatchFile } from './inspect-patch.ts'

const APPLY = ['apply', '--binary', '--whitespace=nowarn']

/** applies: as the checkout is now. applied: it is in there already. Changes nothing. */
export function patchState(worktree: string, patch: Buffer): Promise<'applies' | 'applied' | 'neither'> {
  return withPatchFile(patch, async (file) => {
    const forward = await runGitFully(worktree, [...APPLY, '--check', file])
    if (forward.exitStatus === 0) return 'applies'
    const backward = await runGitFully(worktree, [...APPLY, '--check', '--reverse', file])
    return backward.exitStatus === 0 ? 'applied' : 'neither'
  })
}

export interface ApplyOptions {
  /** The commit that it was made on. */
  readonly base?: string | undefined
  /** Somebody said that files may change which tools run or read as their settings. */
  readonly allowsSettings?: boolean
}

/** All of it or nothing, into the work tree only; git is asked first what it would do, and whether it would. */
export async function applyPatch(
  worktree: string,
  patch: Buffer,
  { base, allowsSettings = false }: ApplyOptions = {},
): Promise<void> {
  const { settings } = await inspectPatch(worktree, patch)
  if (settings.length > 0 && !allowsSettings) throw refuseSettings(settings)
  return withPatchFile(patch, async (file) => {
    for (const args of [
      [...APPLY, '--check', file],
      [...APPLY, file],
    ]) {
      const { exitStatus, stderr } = await runGitFully(worktree, args)
      if (exitStatus === 0) continue
      throw new HoldfastError('conflict', `The patch does not apply here: ${stderr.trim().slice(0, 500)}`, {
        hint: `Check out ${base === undefined ? 'the commit that it was made on' : `${base.slice(0, 12)}, on which it was made`}, or commit or stash what is in its way. Nothing was kept; without \`--apply\` the rest of the bundle is.`,
      })
    }
  })
}

const SHOWN = 20

/** For whoever did not say that they may change. */
export function refuseSettings(settings: readonly string[]): HoldfastError {
  const more = settings.length > SHOWN ? ` and ${settings.length - SHOWN} more` : ''
  return new HoldfastError(
    'forbidden',
    `The patch changes files that tools run or read as their settings, or makes files executable: ${settings.slice(0, SHOWN).join(', ')}${more}.`,
    { hint: 'Look at them first; `--allow-settings` applies them too. Nothing was kept.' },
  )
}
