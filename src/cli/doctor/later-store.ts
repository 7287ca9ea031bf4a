import { ensurePrivateDir, writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { ask } from '../setup/setup-ports.ts'
import { isSet } from '../shared/arguments.ts'
import type { CliContext, CommandInput } from '../shared/command.ts'
import { checkDaemon, isSqlite } from './checks.ts'

/** Lets the daemon set the database of a later version aside, where the user agrees. */
export async function replaceLaterStore(context: CliContext, options: CommandInput['options']): Promise<void> {
  const { isLater = false } = await checkDaemon(context)
  if (!isLater || !isSqlite(context)) return
  if (!isSet(options, 'yes')) {
    // The check that follows says what is wrong, and how to agree.
    if (!context.io.isInteractive) return
    const answer = await ask(
      context,
      `The store was written by a later version of Holdfast. Move its database to ${context.home.backupDir} and continue with the newest backup that this version can read? [y/N] `,
    )
    if (!/^y(?:es)?$/i.test(answer)) return
  }
  ensurePrivateDir(context.home.runDir, context.home.root)
  writeFileAtomic(context.home.setAsideFile, '')
}
