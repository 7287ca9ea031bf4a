import { readManifest } from '../../../install/manifest.ts'
import { restorePorts } from '../../../install/installation.ts'
import { collect, isSet } from '../../shared/arguments.ts'
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

export const costCommand: CliCommand = {
  configure(command) {
    command.option('--harness <id>', 'only this harness (repeatable)', collect).addHelpText(
      'after',
      `
Counts what is in the context of every session before its first prompt. Text
that Holdfast injects later is in \`holdfast ledger\`. A token is about four
characters.`,
    )
  },
  async run({ options, context }) {
    const { io } = context
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
