import { Argument } from 'commander'
import { ENTITY_TYPES } from '../../../kernel/agent-records.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { oneLine, printJson, printLine } from '../../shared/output.ts'

const MAX_LINE = 10_000_000

/** `src/cart.ts:12`, as compilers and editors write it. */
function placeOf(text: string): { readonly file: string; readonly line?: number } {
  const [, file, line] = /^(.+):(\d{1,7})$/.exec(text) ?? []
  return file === undefined ? { file: text } : { file, line: Number(line) }
}

export const entitiesRegisterCommand: CliCommand = {
  name: 'entities register',
  summary: 'say where something of the code is, or that it moved',
  configure(command) {
    command
      .argument('<name>', 'as it is called')
      .addArgument(new Argument('<type>', 'what it is').choices(ENTITY_TYPES))
      .argument('<file>', 'where it is: src/cart.ts, or src/cart.ts:12')
      .option('--line <n>', 'the line, when the file does not say it', wholeNumber(1, MAX_LINE))
      .option('--project <name>', 'a registered project; without, the one you are in')
  },
  async run({ args: [name = '', kind = '', place = ''], options, context }) {
    const type = ENTITY_TYPES.find((known) => known === kind)
    if (type === undefined) {
      throw new HoldfastError('invalid-input', `"${kind}" is no type of entity.`, {
        hint: `Use one of ${ENTITY_TYPES.join(', ')}.`,
      })
    }
    const project = textOption(options, 'project')
    const line = numberOption(options, 'line')
    const entity = await (await context.door()).registerEntity({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      name,
      type,
      ...placeOf(place),
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
