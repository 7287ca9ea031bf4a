import { HoldfastError } from '../../../kernel/errors.ts'
import { MemoryId } from '../../../kernel/id.ts'
import { collect, isSet, listOption, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { findMemoryType, memoryTypeOption } from '../../shared/memory-type.ts'
import { printJson, printLine } from '../../shared/output.ts'

export const rememberCommand: CliCommand = {
  name: 'remember',
  summary: 'keep a decision, preference, fact or lesson for this project',
  configure(command) {
    command
      .argument('<text...>', 'what to keep')
      .addOption(memoryTypeOption('what kind of thing it is (default: note)'))
      .option('--tag <tag>', 'a word to find it by; may be given again', collect)
      .option('--importance <1-10>', 'how much it matters (default: 5)', wholeNumber(1, 10))
      .option('--supersedes <id>', 'the memory that this one replaces')
      .addHelpText(
        'after',
        '\nExample:\n  holdfast remember --type decision "We use PostgreSQL 16, because of row-level security"',
      )
  },
  async run({ args, options, context }) {
    const content = args.join(' ')
    if (content.trim() === '')
      throw new HoldfastError('invalid-input', 'There is nothing to remember in that.', {
        hint: 'Give it as a sentence that makes sense alone.',
      })
    const continuity = await context.continuity()
    const type = findMemoryType(options.type)
    const importance = numberOption(options, 'importance')
    const supersedes = textOption(options, 'supersedes')
    const memory = await continuity.remember({
      content,
      cwd: context.cwd,
      source: 'cli',
      tags: listOption(options, 'tag'),
      ...(type !== undefined && { type }),
      ...(importance !== undefined && { importance }),
      ...(supersedes !== undefined && { supersedes: MemoryId(supersedes) }),
    })
    if (isSet(options, 'json')) printJson(context.io, memory)
    else printLine(context.io, `Remembered as ${memory.id}.`)
    return 0
  },
}
