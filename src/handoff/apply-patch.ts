import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HoldfastError } from '../core/errors.ts'
import { runGitFully } from '../platform/git-write.ts'
import { patchTrouble } from './safe-paths.ts'

const APPLY = ['apply', '--binary', '--whitespace=nowarn']

async function withPatchFile<T>(patch: Buffer, use: (file: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-handoff-'))
  try {
    const file = join(dir, 'work.patch')
    writeFileSync(file, patch, { mode: 0o600 })
    return await use(file)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** applies: as the checkout is now. applied: it is in there already. Changes nothing. */
export function patchState(worktree: string, patch: Buffer): Promise<'applies' | 'applied' | 'neither'> {
  return withPatchFile(patch, async (file) => {
    const forward = await runGitFully(worktree, [...APPLY, '--check', file])
    if (forward.exitStatus === 0) return 'applies'
    const backward = await runGitFully(worktree, [...APPLY, '--check', '--reverse', file])
    return backward.exitStatus === 0 ? 'applied' : 'neither'
  })
}

/** All of it or nothing, into the work tree only; git is asked first whether it would. */
export async function applyPatch(worktree: string, patch: Buffer, base?: string): Promise<void> {
  const trouble = patchTrouble(patch)
  if (trouble !== undefined) throw new HoldfastError('invalid-input', `The patch ${trouble}; it was not applied.`)
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
