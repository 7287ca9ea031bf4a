import { HoldfastError, messageOf } from '../../core/errors.ts'
import { AUTOSAVE, AUTOSAVE_LOG } from '../../core/named-checkpoint/name.ts'
import { isSet } from '../arguments.ts'
import { checkpointFolder } from '../checkpoint-world.ts'
import type { CliCommand, CliContext } from '../command.ts'
import { oneLine, printJson, printLine } from '../output.ts'
import { confirm } from '../setup-world.ts'

/** The store's copies of that name; how many went. */
async function deleteStored(context: CliContext, worktree: string, name: string): Promise<number> {
  const continuity = await context.continuity()
  const stored = await continuity.listCheckpoints({ worktree, name, limit: 100 })
  for (const { checkpoint } of stored) await continuity.deleteCheckpoint(checkpoint.id)
  return stored.length
}

export const checkpointDeleteCommand: CliCommand = {
  name: 'checkpoint delete',
  summary: 'delete a checkpoint that was saved by name',
  configure(command) {
    command.argument('<name>', 'as `holdfast checkpoint list` shows it').option('-y, --yes', 'do not ask')
  },
  async run({ args: [name = ''], options, context }) {
    if (name === AUTOSAVE || name === AUTOSAVE_LOG)
      throw new HoldfastError(
        'forbidden',
        `${JSON.stringify(name)} is kept by Holdfast itself and cannot be deleted by name.`,
      )
    const folder = await checkpointFolder(context)
    const { path, read, name: known } = folder.get(name)
    if (
      !isSet(options, 'yes') &&
      !(await confirm(context, `Delete ${known} (${oneLine(read.task || 'unnamed task', 60)})?`))
    ) {
      printLine(context.io, 'Nothing was deleted.')
      return 1
    }
    folder.delete(known)
    let stored = 0
    try {
      stored = await deleteStored(context, folder.root, known)
    } catch (thrown) {
      context.io.err(`The file is deleted; what the store keeps of it is not: ${messageOf(thrown)}\n`)
    }
    if (isSet(options, 'json')) printJson(context.io, { name: known, path, isDeleted: true, stored })
    else printLine(context.io, `Deleted ${path}.`)
    return 0
  },
}
