import { renderBanner } from '../../core/named-checkpoint/banner.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet } from '../arguments.ts'
import type { CliCommand } from '../command.ts'
import { age, oneLine, printable, printJson, printLine } from '../output.ts'
import { confirm } from '../setup-world.ts'

const QUESTION = 'Continue from this point?'

export const checkpointResumeCommand: CliCommand = {
  name: 'checkpoint resume',
  summary: 'show a saved checkpoint and what has changed since, and ask',
  configure(command) {
    command
      .argument('<name>', 'as `holdfast checkpoint list` shows it')
      .option('-y, --yes', 'do not ask')
      .addHelpText(
        'after',
        '\nNothing is executed, and a checkpoint that is not resumed is kept. resume.confirm in `holdfast config` says when a yes is needed.',
      )
  },
  async run({ args: [name = ''], options, context }) {
    const { io, cwd } = context
    const { project: _project, ...resumed } = await (await context.door()).resumeNamed({ cwd, name })
    const { sections, warnings, savedAt, isOurs } = resumed
    const isConfirmed = isSet(options, 'yes') || resumed.confirm === 'never'
    if (isSet(options, 'json')) {
      const { sections: _sections, ...rest } = resumed
      printJson(io, { ...rest, ...sections, isConfirmed })
      return 0
    }
    const banner = renderBanner({
      name: resumed.name,
      read: { ...resumed, createdAt: savedAt },
      age: age(savedAt, systemClock.now()),
      warnings,
      isOurs,
    })
    printLine(io, printable(banner))
    const question = warnings.length > 0 ? 'Some of this no longer holds. Resume anyway?' : QUESTION
    if (!isConfirmed && !io.isInteractive) {
      // An agent's shell cannot answer; whoever reads its output can.
      printLine(io, `${question} (yes/no)`)
      if (resumed.confirm !== 'always') return 0
      printLine(io, 'Not resumed: a yes is needed here (resume.confirm is always). Run it again with --yes.')
      return 1
    }
    if (!isConfirmed && !(await confirm(context, question))) {
      printLine(io, 'Not resumed; the checkpoint is kept.')
      return 1
    }
    printLine(io, `Next: ${oneLine(sections.nextAction || 'not stated', 200)}`)
    return 0
  },
}
