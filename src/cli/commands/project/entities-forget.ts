import { Option } from 'commander'
import { ENTITY_TYPES } from '../../../kernel/agent-records.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'

export const entitiesForgetCommand: CliCommand = {
  name: 'entities forget',
  summary: 'take out what was registered by hand',
  configure(command) {
    command
      .argument('<name>', 'as `holdfast entities list` shows it')
      .addOption(new Option('--type <type>', 'only this kind').choices(ENTITY_TYPES))
      .option('--project <name>', 'a registered project; without, the one you are in')
  },
  async run({ args: [name = ''], options, context }) {
    const project = textOption(options, 'project')
    const type = ENTITY_TYPES.find((known) => known === options.type)
    const forgotten = await (await context.door()).forgetEntity({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      name,
      ...(type !== undefined && { type }),
    })
    if (isSet(options, 'json')) printJson(context.io, { forgotten })
    else printLine(context.io, oneLine(`Forgot ${name}: ${count(forgotten, 'entry', 'entries')}.`, 500))
    return 0
  },
}
