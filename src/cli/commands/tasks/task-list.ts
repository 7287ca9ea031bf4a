import { gateLabel } from '../../../tasks/model/gate.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { age, colorsOf, oneLine, printJson, printLine, table } from '../../shared/output.ts'
import { tasksOf } from './task-ports.ts'

export const taskListCommand: CliCommand = {
  name: 'task list',
  summary: 'governed tasks of this project, latest activity first',
  configure() {},
  async run({ options, context }) {
    const tasks = await (await tasksOf(context)).list({ cwd: context.cwd })
    if (isSet(options, 'json')) {
      printJson(context.io, tasks)
    } else if (tasks.length === 0) {
      printLine(context.io, 'There are no governed tasks here. `holdfast task new <slug>` begins one.')
    } else {
      const { dim } = colorsOf(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          tasks.map(({ definition, status, active_session: active }) => [
            definition.task_slug,
            status.status,
            gateLabel(status.current_gate),
            dim(age(status.last_activity, now)),
            active?.session_id ?? '',
            oneLine(definition.title, 60),
          ]),
        ),
      )
    }
    return 0
  },
}
