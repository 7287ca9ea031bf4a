import { Option } from 'commander'
import { SESSION_PHASES } from '../../../kernel/agent-records.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printable, printJson, printLine } from '../../shared/output.ts'

export const briefingCommand: CliCommand = {
  configure(command) {
    command
      .option('--project <name>', 'a registered project (default: the current one)')
      .option('--budget <tokens>', 'at most this many tokens (default: 6000)', wholeNumber(100, 200_000))
      .option('--session <key>', 'key of the session that will read it', sessionKey)
      .option('--after-compaction', 'the version for a session after a compaction')
      .addOption(new Option('--phase <phase>', 'the phase of the session').choices(SESSION_PHASES))
      .addHelpText('after', '\nExample:\n  holdfast briefing --budget 2000')
  },
  async run({ options, context }) {
    const agentApi = await context.agentApi()
    const project = textOption(options, 'project')
    const budgetTokens = numberOption(options, 'budget')
    const sessionLabel = textOption(options, 'session')
    const phase = SESSION_PHASES.find((known) => known === options.phase)
    const briefing = await agentApi.briefing({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      ...(budgetTokens !== undefined && { budgetTokens }),
      ...(sessionLabel !== undefined && { sessionLabel }),
      ...(phase !== undefined && { phase }),
      ...(isSet(options, 'afterCompaction') && { afterCompaction: true }),
    })
    if (isSet(options, 'json')) printJson(context.io, briefing)
    else printLine(context.io, printable(briefing.text))
    return 0
  },
}
