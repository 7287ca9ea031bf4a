import { HoldfastError } from '../../../kernel/errors.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { createLoginCode, ensureRunning } from '../../shared/daemon-access.ts'
import { printJson, printLine } from '../../shared/output.ts'

export const dashboardCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context }) {
    await ensureRunning(context)
    const code = await createLoginCode(context.home)
    if (code === undefined) {
      throw new HoldfastError('daemon-unavailable', 'The daemon stopped before it could create a link.', {
        hint: 'Run the command again.',
      })
    }
    if (isSet(options, 'json')) printJson(context.io, { url: code.url, expiresAt: code.expiresAt })
    else printLine(context.io, `${code.url}\nThe link works once and expires in a minute.`)
    return 0
  },
}
