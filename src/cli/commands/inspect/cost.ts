import { readManifest } from '../../../install/manifest.ts'
import { restorePorts } from '../../../install/installation.ts'
import { collect, isSet, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import { count, getColors, printJson, printLine, table } from '../../shared/output.ts'
import { measureSession, type SessionCost } from '../../setup/session-cost.ts'
import { chooseSetups, createSetupPorts } from '../../setup/setup-ports.ts'

/** One for each connected harness, or each one named with `--harness`. */
export async function measureConnections(
  context: CliContext,
  options: CommandInput['options'] = {},
): Promise<readonly SessionCost[]> {
  const ports = createSetupPorts(context)
  const records = readManifest(context.home)
  const setups = await chooseSetups(options, new Set(records.map(({ harness }) => harness)))
  const { config } = context
  return setups.flatMap((setup) => {
    const record = records.find(({ harness }) => harness === setup.id)
    if (record === undefined) return []
    return [measureSession(setup, restorePorts(ports, record), { config, record })]
  })
}

async function printUsage(context: CliContext, days: number, isJson: boolean): Promise<void> {
  const { io } = context
  const usage = await (await context.continuity()).tokenUsage({ days })
  if (isJson) return printJson(io, usage)
  if (usage.days.length === 0) return printLine(io, 'No transcript of these days reports tokens.')
  io.out(
    table([
      ['day', 'harness', 'input', 'output', 'from cache', 'to cache'],
      ...usage.days.map(({ day, harness, input, output, cacheRead, cacheWrite }) => [
        day,
        harness,
        ...[input, output, cacheRead, cacheWrite].map(String),
      ]),
    ]),
  )
  printLine(io, `${count(usage.sessionsRead, 'session')} read, ${usage.sessionsSkipped} without a transcript.`)
}

export const costCommand: CliCommand = {
  configure(command) {
    command
      .option('--harness <id>', 'only this harness (repeatable)', collect)
      .option(
        '--days <n>',
        'show instead the tokens that sessions used in the last <n> days, by day',
        wholeNumber(1, 365),
      )
      .addHelpText(
        'after',
        `
Counts Holdfast's text in the context of every session before its first prompt.
\`holdfast ledger\` lists the text that is injected later. A token is about four
characters.`,
      )
  },
  async run({ options, context }) {
    const { io } = context
    const days = numberOption(options, 'days')
    if (days !== undefined) {
      await printUsage(context, days, isSet(options, 'json'))
      return 0
    }
    const [first, ...others] = await measureConnections(context, options)
    if (isSet(options, 'json')) {
      printJson(io, { ...(first ?? { harness: null, parts: [], totalChars: 0 }), ...(others.length > 0 && { others }) })
      return 0
    }
    if (first === undefined) {
      printLine(io, 'No harness is connected, so no session pays anything. `holdfast init` connects one.')
      return 0
    }
    const { bold, dim } = getColors(io)
    for (const { harness, parts, totalChars } of [first, ...others]) {
      printLine(io, `${bold(harness)}  ${count(totalChars, 'character')} before the first prompt`)
      io.out(table(parts.map(({ name, chars }) => [`  ${name}`, String(chars)])))
    }
    printLine(io, dim('Injected text is listed by `holdfast ledger`.'))
    return 0
  },
}
