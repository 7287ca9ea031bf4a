import { MemoryId } from '../../../kernel/id.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, printLine } from '../../shared/output.ts'

export const forgetCommand: CliCommand = {
  name: 'forget',
  summary: 'delete a memory',
  configure(command) {
    command
      .argument('<id>', 'as `holdfast recall` shows it')
      .option('--any-project', 'also when it belongs to another project than the one of this folder')
  },
  async run({ args: [id = ''], options, context }) {
    const continuity = await context.continuity()
    await continuity.forget(MemoryId(id), isSet(options, 'anyProject') ? undefined : context.cwd)
    if (isSet(options, 'json')) printJson(context.io, { forgotten: id })
    else printLine(context.io, `Forgot ${id}.`)
    return 0
  },
}
