import { Option } from 'commander'
import { ENTITY_TYPES } from '../../../kernel/agent-records.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { colorsOf, oneLine, printJson, printLine, table } from '../../shared/output.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_999

function where({ file, line }: { readonly file: string; readonly line?: number }): string {
  return line === undefined ? file : `${file}:${line}`
}

export const entitiesListCommand: CliCommand = {
  name: 'entities list',
  summary: 'functions, classes and endpoints of this project, and whether they are where they were',
  configure(command) {
    command
      .argument('[name]', 'only names that hold this text, the nearest first')
      .option('--project <name>', 'a registered project; without, the one you are in')
      .addOption(new Option('--type <type>', 'only this kind').choices(ENTITY_TYPES))
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, MAX_LIMIT))
  },
  async run({ args: [name], options, context }) {
    const door = await context.door()
    const project = textOption(options, 'project')
    const type = ENTITY_TYPES.find((known) => known === options.type)
    const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
    const found = await door.listEntities({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      ...(type !== undefined && { type }),
      ...(name !== undefined && { name }),
      limit: limit + 1,
    })
    const entities = found.slice(0, limit)
    if (isSet(options, 'json')) {
      printJson(context.io, entities)
      return 0
    }
    if (entities.length === 0) {
      printLine(
        context.io,
        name === undefined && type === undefined
          ? 'Nothing is registered for this project, and there is no index: `holdfast index` makes one.'
          : 'Nothing of that name or kind is registered, and the index has none.',
      )
      return 0
    }
    const { dim } = colorsOf(context.io)
    context.io.out(
      table(
        entities.map((entity) => [
          entity.type,
          oneLine(entity.name, 60),
          oneLine(where(entity), 80),
          entity.foundAt === undefined ? entity.state : `${entity.state} to ${oneLine(where(entity.foundAt), 80)}`,
          dim(`${entity.origin === 'hand' ? 'by hand' : 'index'}, ${entity.lastSeenAt.slice(0, 10)}`),
        ]),
      ),
    )
    if (found.length > limit) printLine(context.io, 'There are more: give a name to search for, or --limit.')
    return 0
  },
}
