import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { oneLine, printJson, printLine } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'

export const checkpointDeleteCommand: CliCommand = {
  name: 'checkpoint delete',
  summary: 'delete a checkpoint that was saved by name',
  configure(command) {
    command.argument('<name>', 'as `holdfast checkpoint list` shows it').option('-y, --yes', 'do not ask')
  },
  async run({ args: [name = ''], options, context }) {
    const door = await context.door()
    const { cwd } = context
    if (!isSet(options, 'yes')) {
      const known = (await door.listNamed({ cwd })).find((listing) => listing.name === name.normalize('NFC').trim())
      const task = known === undefined ? undefined : oneLine(known.task || 'unnamed task', 60)
      if (task !== undefined && !(await confirm(context, `Delete ${oneLine(name, 64)} (${task})?`))) {
        printLine(context.io, 'Nothing was deleted.')
        return 1
      }
    }
    const deleted = await door.deleteNamed({ cwd, name })
    if (isSet(options, 'json')) printJson(context.io, { ...deleted, isDeleted: true })
    else printLine(context.io, `Deleted ${deleted.path ?? `${oneLine(deleted.name, 64)}, which had no file any more`}.`)
    return 0
  },
}
