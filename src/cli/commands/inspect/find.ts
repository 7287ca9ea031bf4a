import { Option } from 'commander'
import { FIND_KINDS } from '../../../kernel/archive.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { collectChoice, isSet, listOption, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, formatAge, getColors, printJson, printLine, printUnbroken, printableName } from '../../shared/output.ts'

const DEFAULT_LIMIT = 10
const MAX_CHARS = 1_000

/** `2026-11`, `2026-11-18` or a whole timestamp, as the beginning of an ISO time. */
function timeOption(options: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const text = textOption(options, name)
  if (text === undefined) return undefined
  // 30 February would be read as a day of March.
  const day = `${text}-01-01`.slice(0, 10)
  const read = new Date(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day)
  if (isDay && /^\d{4}(?:-\d{2}(?:-\d{2}(?:T[\d:.]+Z?)?)?)?$/.test(text)) return text
  throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is not a date.`, {
    hint: 'Use a form such as 2026-11-18.',
  })
}

/** Named here as the user knows it; the API calls it `q`. */
function findText(words: readonly string[]): string {
  const text = words.join(' ').trim()
  if (text === '') throw new HoldfastError('invalid-input', 'No word to search for was given.')
  if (text.length <= MAX_CHARS) return text
  throw new HoldfastError(
    'invalid-input',
    `The words have ${text.length} characters; at most ${MAX_CHARS} are allowed.`,
    {
      hint: 'Search for a few words of it.',
    },
  )
}

export const findCommand: CliCommand = {
  configure(command) {
    command
      .argument('<words...>', 'words to search for')
      .option('--here', 'only in this project')
      .option('--harness <id>', 'only sessions of this harness')
      .addOption(
        new Option('--kind <kind>', 'only this kind (repeatable)')
          .choices(FIND_KINDS)
          .argParser(collectChoice(FIND_KINDS)),
      )
      .option('--since <date>', 'from this date on')
      .option('--until <date>', 'before this date')
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 100))
      .option('--offset <n>', 'skip this many', wholeNumber(0, 10_000))
      .addHelpText('after', '\nExample:\n  holdfast find umlaut slug --since 2026-10')
  },
  async run({ args, options, context }) {
    const { io } = context
    const given = listOption(options, 'kind')
    const kinds = FIND_KINDS.filter((kind) => given.includes(kind))
    const [harness, since, until] = [
      textOption(options, 'harness'),
      timeOption(options, 'since'),
      timeOption(options, 'until'),
    ]
    const offset = numberOption(options, 'offset')
    const result = await (await context.continuity()).find({
      text: findText(args),
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
      ...(isSet(options, 'here') && { cwd: context.cwd }),
      ...(harness !== undefined && { harness }),
      ...(kinds.length > 0 && { kinds }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(offset !== undefined && { offset }),
    })
    if (isSet(options, 'json')) {
      printJson(io, result)
      return 0
    }
    const { bold, dim } = getColors(io)
    const now = systemClock.now()
    if (result.hits.length === 0) printLine(io, `Nothing matches ${args.map(printableName).join(' ')}.`)
    for (const { kind, at, project, session, title, text, matched, ref, reopen } of result.hits) {
      const name = title === undefined ? '' : ` "${printableName(title)}"`
      printLine(io, `${bold(kind)}  ${formatAge(at, now)}  ${printableName(project)}${name}`)
      printLine(io, `    ${printableName(text)}`)
      const origin = session === undefined ? ref : `session ${printableName(session)}`
      printLine(io, dim(`    matches ${matched.map(printableName).join(', ')}; ${origin}`))
      if (reopen !== undefined) printUnbroken(io, dim(`    ${printableName(reopen)}`))
    }
    const total = result.facets.kind.reduce((sum, facet) => sum + facet.count, 0)
    if (total > result.hits.length)
      printLine(
        io,
        dim(
          `${count(result.hits.length, 'hit')} of ${result.isComplete ? '' : 'at least '}${total}; --offset and --limit show more.`,
        ),
      )
    return 0
  },
}
