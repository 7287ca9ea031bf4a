import { lintCheckpoint } from '../../core/named-checkpoint/lint.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet } from '../arguments.ts'
import { checkpointFolder } from '../checkpoint-world.ts'
import type { CliCommand } from '../command.ts'
import { age, colorsOf, oneLine, printJson, printLine, table } from '../output.ts'

export const checkpointListCommand: CliCommand = {
  name: 'checkpoint list',
  summary: 'checkpoints saved by name in this project, with their age',
  configure(command) {
    command.addHelpText('after', '\nWhat Holdfast keeps of sessions by itself: `holdfast checkpoints list`.')
  },
  async run({ options, context }) {
    const saved = (await checkpointFolder(context)).list()
    const now = systemClock.now()
    if (isSet(options, 'json')) {
      printJson(
        context.io,
        saved.map(({ name, path, read, savedAt, isOurs, text }) => ({
          name,
          path,
          savedAt,
          ageMs: Math.max(0, Date.parse(now) - Date.parse(savedAt)),
          task: read.task,
          nextAction: read.sections.nextAction,
          isOurs,
          score: lintCheckpoint(text).score,
        })),
      )
      return 0
    }
    if (saved.length === 0) {
      printLine(context.io, 'No checkpoints found. Save one with `holdfast checkpoint save <name>`.')
      return 0
    }
    const { bold, dim } = colorsOf(context.io)
    context.io.out(
      table([
        ['Name', 'Saved', 'Age', 'Task'].map((title) => bold(title)),
        ...saved.map(({ name, savedAt, read, isOurs }) => [
          oneLine(name, 64),
          savedAt.slice(0, 16).replace('T', ' '),
          dim(age(savedAt, now)),
          oneLine(`${read.task}${isOurs ? '' : ' (edited)'}`, 70),
        ]),
      ]),
    )
    return 0
  },
}
