import { MemoryId } from '../../core/id.ts'
import { isSet } from '../arguments.ts'
import type { CliCommand } from '../command.ts'
import { printJson, printLine } from '../output.ts'

export const forgetCommand: CliCommand = {
  name: 'forget',
  summary: 'delete a memory',
  configure(command) {
    command.argument('<id>', 'as `holdfast recall` shows it')
  },
  async run({ args: [id = ''], options, context }) {
    const continuity = await context.continuity()
    await continuity.forget(MemoryId(id))
    if (isSet(options, 'json')) printJson(context.io, { forgotten: id })
    else printLine(context.io, `Forgot ${id}.`)
    return 0
  },
}
