import { Option, Argument } from 'commander'
import { ENTITY_TYPES } from '../../../kernel/agent-records.ts'
import { isSet, textOption, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine, getColors, table } from '../../shared/output.ts'
import { HoldfastError } from '../../../kernel/errors.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_999

function formatLocation({ file, line }: { readonly file: string; readonly line?: number }): string {
  return line === undefined ? file : `${file}:${line}`
}

export const entitiesListCommand: CliCommand = {
  configure(command) {
    command
      .argument('[name]', 'only names that contain this text, best match first')
      .option('--project <name>', 'a registered project (default: the current one)')
      .addOption(new Option('--type <type>', 'only this kind').choices(ENTITY_TYPES))
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, MAX_LIMIT))
  },
  async run({ args: [name], options, context }) {
    const agentApi = await context.agentApi()
    const project = textOption(options, 'project')
    const type = ENTITY_TYPES.find((known) => known === options.type)
    const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
    const found = await agentApi.listEntities({
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
          ? 'No entities are registered, and there is no index; `holdfast index` creates one.'
          : 'No registered or indexed entity matches.',
      )
      return 0
    }
    const { dim } = getColors(context.io)
    context.io.out(
      table(
        entities.map((entity) => [
          entity.type,
          oneLine(entity.name, 60),
          oneLine(formatLocation(entity), 80),
          entity.foundAt === undefined
            ? entity.state
            : `${entity.state} to ${oneLine(formatLocation(entity.foundAt), 80)}`,
          dim(`${entity.origin === 'hand' ? 'by hand' : 'index'}, ${entity.lastSeenAt.slice(0, 10)}`),
        ]),
      ),
    )
    if (found.length > limit) printLine(context.io, 'There are more: give a name, or use --limit.')
    return 0
  },
}

const MAX_LINE = 10_000_000

/** Parses `src/cart.ts` and `src/cart.ts:12`. */
function parseLocation(text: string): { readonly file: string; readonly line?: number } {
  const [, file, line] = /^(.+):(\d{1,7})$/.exec(text) ?? []
  return file === undefined ? { file: text } : { file, line: Number(line) }
}

export const entitiesRegisterCommand: CliCommand = {
  configure(command) {
    command
      .argument('<name>', 'name of the entity')
      .addArgument(new Argument('<type>', 'kind of entity').choices(ENTITY_TYPES))
      .argument('<file>', 'location: src/cart.ts or src/cart.ts:12')
      .option('--line <n>', 'the line, if <file> does not include it', wholeNumber(1, MAX_LINE))
      .option('--project <name>', 'a registered project (default: the current one)')
  },
  async run({ args: [name = '', kind = '', location = ''], options, context }) {
    const type = ENTITY_TYPES.find((known) => known === kind)
    if (type === undefined) {
      throw new HoldfastError('invalid-input', `"${kind}" is not a type of entity.`, {
        hint: `Use one of ${ENTITY_TYPES.join(', ')}.`,
      })
    }
    const project = textOption(options, 'project')
    const line = numberOption(options, 'line')
    const entity = await (await context.agentApi()).registerEntity({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      name,
      type,
      ...parseLocation(location),
      ...(line !== undefined && { line }),
    })
    if (isSet(options, 'json')) {
      printJson(context.io, entity)
      return 0
    }
    const at = entity.line === undefined ? entity.file : `${entity.file}:${entity.line}`
    const found = entity.foundAt
    const seen = found === undefined ? entity.state : `${entity.state} to ${found.file}:${found.line ?? '?'}`
    printLine(context.io, oneLine(`Registered ${type} ${entity.name} at ${at}. In the code: ${seen}.`, 500))
    return 0
  },
}

export const entitiesForgetCommand: CliCommand = {
  configure(command) {
    command
      .argument('<name>', 'name as shown by `holdfast entities list`')
      .addOption(new Option('--type <type>', 'only this kind').choices(ENTITY_TYPES))
      .option('--project <name>', 'a registered project (default: the current one)')
  },
  async run({ args: [name = ''], options, context }) {
    const project = textOption(options, 'project')
    const type = ENTITY_TYPES.find((known) => known === options.type)
    const forgotten = await (await context.agentApi()).forgetEntity({
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
