import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, printLine } from '../../shared/output.ts'

export const checkpointAutosaveCommand: CliCommand = {
  name: 'checkpoint autosave',
  summary: 'save SESSION-STATE.md before it is lost, unless that was just done',
  configure(command) {
    command
      .option('--reason <text>', 'for the log: `context 78%`, `goodnight`')
      .addHelpText(
        'after',
        '\nWrites memory/checkpoints/autosave.md and autosave-log.md, and never a named checkpoint. The daemon does the same by itself\nwhen the context fills up, before a compaction, at a farewell, and at the end of a session; see autosave.mode in `holdfast config`.',
      )
  },
  async run({ options, context }) {
    const reason = textOption(options, 'reason')
    const outcome = await (await context.door()).autosave({
      cwd: context.cwd,
      ...(reason !== undefined && { reason }),
    })
    if (isSet(options, 'json')) printJson(context.io, outcome)
    else if (outcome.isWritten) printLine(context.io, `Saved ${outcome.path}.`)
    else printLine(context.io, `Not saved: ${outcome.because}.`)
    return 0
  },
}
