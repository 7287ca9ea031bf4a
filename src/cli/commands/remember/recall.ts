import { readEnvironment } from '../../../harness/contract/environment.ts'
import { harnessEnvironments } from '../../../harness/environments.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput, ExitCode } from '../../shared/command.ts'
import { findMemoryType, memoryTypeOption } from '../../shared/memory-type.ts'
import { age, colorsOf, oneLine, printJson, printLine, table } from '../../shared/output.ts'

const DEFAULT_LIMIT = 10

async function recallAll(text: string, { context, options }: CommandInput): Promise<ExitCode> {
  const door = await context.door()
  // An agent that runs this in its shell is told by its harness which session it is.
  const { harness, sessionKey } = isSet(options, 'own') ? {} : readEnvironment(harnessEnvironments, context.env)
  const hits = await door.searchHistory({
    cwd: context.cwd,
    text,
    limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    ...(harness !== undefined && sessionKey !== undefined && { harness, sessionKey }),
  })
  if (isSet(options, 'json')) {
    printJson(context.io, hits)
  } else if (hits.length === 0) {
    printLine(context.io, `Nothing matches "${text}".`)
  } else {
    const { dim } = colorsOf(context.io)
    const now = systemClock.now()
    const told = (at: string | undefined) => (at === undefined ? '' : age(at, now))
    context.io.out(table(hits.map(({ kind, id, title, at }) => [kind, id, dim(told(at)), oneLine(title, 90)])))
  }
  return 0
}

export const recallCommand: CliCommand = {
  name: 'recall',
  summary:
    'find memories of this project; with --all, everything that was ever told; without words, the newest memories',
  configure(command) {
    command
      .argument('[words...]', 'what to look for')
      .addOption(memoryTypeOption('only this kind'))
      .option('--all', 'also checkpoints, decisions and summaries of sessions, as search_history finds them')
      .option('--own', 'with --all, in a session: what it said itself too, which it still sees')
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 100))
      .addHelpText('after', '\nExample:\n  holdfast recall retry policy')
  },
  async run({ args, options, context }) {
    const text = args.join(' ').trim()
    if (isSet(options, 'all') && text !== '') return await recallAll(text, { args, options, context })
    const continuity = await context.continuity()
    const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
    const type = findMemoryType(options.type)
    const asked = { cwd: context.cwd, limit, ...(type !== undefined && { types: [type] }) }
    const hits =
      text === ''
        ? (await continuity.listMemories(asked)).map((memory) => ({ memory }))
        : await continuity.recall({ ...asked, text })
    if (isSet(options, 'json')) {
      printJson(context.io, hits)
    } else if (hits.length === 0) {
      const kind = type === undefined ? '' : ` of type ${type}`
      printLine(
        context.io,
        text === '' ? `Nothing${kind} is remembered for this project.` : `Nothing${kind} matches "${text}".`,
      )
    } else {
      const { dim } = colorsOf(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          hits.map(({ memory }) => [
            memory.id,
            memory.type,
            dim(age(memory.createdAt, now)),
            oneLine(memory.content, 100),
          ]),
        ),
      )
    }
    return 0
  },
}
