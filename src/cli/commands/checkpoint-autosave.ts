import { AUTOSAVE } from '../../core/named-checkpoint/name.ts'
import { pathOf } from '../../named-checkpoint/folder.ts'
import { autosave } from '../../named-checkpoint/save.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet, textOption } from '../arguments.ts'
import { checkpointFolder, observedIn } from '../checkpoint-world.ts'
import type { CliCommand } from '../command.ts'
import { printJson } from '../output.ts'

export const checkpointAutosaveCommand: CliCommand = {
  name: 'checkpoint autosave',
  summary: 'save SESSION-STATE.md before it is lost, unless that was just done; says nothing',
  configure(command) {
    command
      .option('--reason <text>', 'for the log: `context 78%`, `goodnight`')
      .addHelpText(
        'after',
        '\nWrites memory/checkpoints/autosave.md and autosave-log.md, and never a named checkpoint.',
      )
  },
  async run({ options, context }) {
    const folder = await checkpointFolder(context)
    const reason = textOption(options, 'reason')
    const verdict = await autosave(folder, {
      now: systemClock.now(),
      observe: () => observedIn(context, folder.root),
      ...(reason !== undefined && { reason }),
    })
    if (isSet(options, 'json'))
      printJson(
        context.io,
        verdict.isDue ? { isWritten: true, path: pathOf(AUTOSAVE) } : { isWritten: false, because: verdict.because },
      )
    return 0
  },
}
