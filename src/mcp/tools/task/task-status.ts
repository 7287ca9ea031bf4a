import * as z from 'zod'
import { gateLabel } from '../../../tasks/model/gate.ts'
import { directoryOf, optionalText, project } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

const SHOWN_SESSIONS = 5

export const taskStatus = defineTool({
  name: 'task_status',
  description: 'Governed tasks under tasks/; with task, its gates, blockers, next steps, last checkpoint and findings.',
  input: z.object({ ...project, task: optionalText.describe('slug') }),
  aliases: { slug: 'task', task_slug: 'task' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const cwd = await directoryOf(input, context)
    if (input.task === undefined) {
      const tasks = await context.tasks.list({ cwd })
      return {
        tasks: tasks.map(({ definition, status }) => ({
          task: definition.task_slug,
          title: definition.title,
          status: status.status,
          gate: gateLabel(status.current_gate),
        })),
      }
    }
    const { sessions, index, ...detail } = await context.tasks.show({ cwd, slug: input.task })
    return { ...detail, checkpoints: index.checkpoints.length, sessions: sessions.slice(-SHOWN_SESSIONS) }
  },
})
