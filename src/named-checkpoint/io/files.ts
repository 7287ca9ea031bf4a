import type { CheckpointFiles } from '../checkpoint-files.ts'
import { appendToBuffer, isBufferOf, isOurBuffer, newBuffer, WORKING_BUFFER } from '../working-buffer.ts'
import type { Clock, Git, Redactors } from '../../kernel/ports.ts'
import type { Home } from '../../platform/base/home.ts'
import { autosave } from './autosave.ts'
import { type CheckpointFolder, openCheckpointFolder } from './folder.ts'
import { stalenessOf } from './staleness.ts'
import { saveNamed } from './save.ts'

export interface CheckpointFilesDeps {
  readonly home: Pick<Home, 'root'>
  readonly redactors: Redactors
  readonly git: Git
  readonly clock: Pick<Clock, 'now'>
}

/** The files of whichever worktree is asked about. */
export function createCheckpointFiles({ home, redactors, git, clock }: CheckpointFilesDeps): CheckpointFiles {
  const open = async (root: string): Promise<CheckpointFolder> =>
    openCheckpointFolder({ root, home, redactor: await redactors.forWorktree(root), git })

  return {
    save: async (worktree, input) => saveNamed(await open(worktree), input),
    list: async (worktree) => (await open(worktree)).list(),
    find: async (worktree, name) => (await open(worktree)).find(name),
    staleness: async (worktree, read) => stalenessOf(await open(worktree), read, clock.now()),
    delete: async (worktree, name) => (await open(worktree)).delete(name),
    autosave: async (worktree, request) => autosave(await open(worktree), request),

    async startBuffer(worktree, { sessionKey, now, mayCreate }) {
      const folder = await open(worktree)
      const before = folder.readText(WORKING_BUFFER)
      if (before === undefined ? !mayCreate : !isOurBuffer(before)) return false
      if (before === undefined || !isBufferOf(before, sessionKey))
        folder.writeText(WORKING_BUFFER, newBuffer(sessionKey, now))
      return true
    },
    async appendBuffer(worktree, sessionKey, entry) {
      const folder = await open(worktree)
      const before = folder.readText(WORKING_BUFFER)
      if (before === undefined || !isBufferOf(before, sessionKey)) return
      // The entry before it is shortened, and the file as it will stand there: two entries may hold one key.
      const after = appendToBuffer(before, { ...entry, text: folder.redactor.redact(entry.text) })
      folder.writeText(WORKING_BUFFER, folder.redactor.redact(after))
    },
  }
}
