import { renderBanner } from '../../core/named-checkpoint/banner.ts'
import { resumeNamed } from '../../named-checkpoint/resume.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet } from '../arguments.ts'
import { checkpointFolder } from '../checkpoint-world.ts'
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
      .addHelpText('after', '\nNothing is executed, and a checkpoint that is not resumed is kept.')
  },
  async run({ args: [name = ''], options, context }) {
    const { io } = context
    const now = systemClock.now()
    const { saved, warnings } = await resumeNamed(await checkpointFolder(context), name, now)
    const { read } = saved
    if (isSet(options, 'json')) {
      const { path, savedAt, isOurs } = saved
      const { task, sections } = read
      printJson(io, {
        name: saved.name,
        path,
        savedAt,
        isOurs,
        task,
        ...sections,
        git: read.git,
        files: read.files,
        warnings,
        isConfirmed: isSet(options, 'yes'),
      })
      return 0
    }
    const banner = renderBanner({
      name: saved.name,
      read,
      age: age(saved.savedAt, now),
      warnings,
      isOurs: saved.isOurs,
    })
    printLine(io, printable(banner))
    const question = warnings.length > 0 ? 'Some of this no longer holds. Resume anyway?' : QUESTION
    if (isSet(options, 'yes') || !io.isInteractive) {
      // An agent's shell cannot answer; whoever reads its output can.
      if (!isSet(options, 'yes')) printLine(io, `${question} (yes/no)`)
      return 0
    }
    if (!(await confirm(context, question))) {
      printLine(io, 'Not resumed; the checkpoint is kept.')
      return 1
    }
    printLine(io, `Next: ${oneLine(read.sections.nextAction || 'not stated', 200)}`)
    return 0
  },
}
