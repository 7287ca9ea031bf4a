import { systemClock } from '../../../platform/base/clock.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { age, colorsOf, oneLine, printJson, printLine, table } from '../../shared/output.ts'

export const checkpointListCommand: CliCommand = {
  name: 'checkpoint list',
  summary: 'checkpoints saved by name in this project, with their age',
  configure(command) {
    command.addHelpText('after', '\nWhat Holdfast keeps of sessions by itself: `holdfast checkpoints list`.')
  },
  async run({ options, context }) {
    const saved = await (await context.door()).listNamed({ cwd: context.cwd })
    const now = systemClock.now()
    if (isSet(options, 'json')) {
      const aged = saved.map((listing) => ({
        ...listing,
        ageMs: Math.max(0, Date.parse(now) - Date.parse(listing.savedAt)),
      }))
      printJson(context.io, aged)
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
        ...saved.map(({ name, savedAt, task, isOurs, path }) => [
          oneLine(name, 64),
          savedAt.slice(0, 16).replace('T', ' '),
          dim(age(savedAt, now)),
          oneLine(`${task}${path === undefined ? ' (file is gone)' : isOurs ? '' : ' (edited)'}`, 70),
        ]),
      ]),
    )
    return 0
  },
}
