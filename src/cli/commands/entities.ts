import { Option } from 'commander'
import { ENTITY_TYPES } from '../../core/agent-door.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../arguments.ts'
import type { CliCommand } from '../command.ts'
import { colorsOf, oneLine, printJson, printLine, table } from '../output.ts'

const DEFAULT_LIMIT = 200

function where({ file, line }: { readonly file: string; readonly line?: number }): string {
  return line === undefined ? file : `${file}:${line}`
}

export const entitiesCommand: CliCommand = {
  name: 'entities',
  summary: 'registered functions, classes and endpoints, and whether they are where they were',
  configure(command) {
    command
      .option('--project <name>', 'a registered project; without, the one you are in')
      .addOption(new Option('--type <type>', 'only this kind').choices(ENTITY_TYPES))
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 2_000))
  },
  async run({ options, context }) {
    const door = await context.door()
    const project = textOption(options, 'project')
    const type = ENTITY_TYPES.find((known) => known === options.type)
    const entities = await door.listEntities({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      ...(type !== undefined && { type }),
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    })
    if (isSet(options, 'json')) {
      printJson(context.io, entities)
    } else if (entities.length === 0) {
      printLine(context.io, 'Nothing is registered for this project.')
    } else {
      const { dim } = colorsOf(context.io)
      context.io.out(
        table(
          entities.map((entity) => [
            entity.type,
            oneLine(entity.name, 60),
            oneLine(where(entity), 80),
            entity.foundAt === undefined ? entity.state : `${entity.state} to ${oneLine(where(entity.foundAt), 80)}`,
            dim(entity.lastSeenAt.slice(0, 10)),
          ]),
        ),
      )
    }
    return 0
  },
}
