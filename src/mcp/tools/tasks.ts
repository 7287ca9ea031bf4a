import * as z from 'zod'
import { parseFileChange } from '../../tasks/model/task-checkpoint.ts'
import { formatGate } from '../../tasks/model/gate.ts'
import { resolveDirectory, optionalText, project, text, textList } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

export const taskCheckpoint = defineTool({
  name: 'task_checkpoint',
  description:
    'Checkpoint of a governed task: decision (rationale, alternatives), error_recovery (error, resolution), file_change (files), explicit, or gate (enters it).',
  input: z.object({
    ...project,
    task: text.describe('slug'),
    type: z.enum(['decision', 'file_change', 'error_recovery', 'explicit', 'gate']),
    gate: optionalText,
    summary: optionalText,
    decision: optionalText,
    rationale: optionalText,
    alternatives: textList,
    files: textList,
    error: optionalText,
    resolution: optionalText,
    next_steps: textList,
    force_reason: optionalText.describe('gate: enter it although parts are missing'),
  }),
  aliases: { slug: 'task', task_slug: 'task' },
  async run(input, context) {
    const at = { cwd: await resolveDirectory(input, context), slug: input.task }
    const { decision, rationale = '', alternatives = [], error, resolution = '', files, summary } = input
    const content = {
      summary,
      nextSteps: input.next_steps,
      ...(files !== undefined && { files: files.map(parseFileChange) }),
      ...(decision !== undefined && { decisions: [{ decision, rationale, alternatives_considered: alternatives }] }),
      ...(error !== undefined && { errors: [{ error, resolution }] }),
    }
    const { checkpoint, mirrored } =
      input.type === 'gate'
        ? await context.tasks.enterGate({
            ...at,
            gate: input.gate ?? '',
            content,
            reason: input.force_reason ?? summary ?? '',
            force: input.force_reason !== undefined,
          })
        : await context.tasks.checkpoint({ ...at, type: input.type, content })
    return {
      ok: true,
      checkpoint_id: checkpoint.checkpoint_id,
      gate: checkpoint.gate,
      ...(checkpoint.missing.length > 0 && { missing: checkpoint.missing }),
      ...(mirrored !== true && { not_mirrored: mirrored }),
    }
  },
})

const SHOWN_SESSIONS = 5

export const taskStatus = defineTool({
  name: 'task_status',
  description: 'Governed tasks under tasks/; with task, its gates, blockers, next steps, last checkpoint and findings.',
  input: z.object({ ...project, task: optionalText.describe('slug') }),
  aliases: { slug: 'task', task_slug: 'task' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const cwd = await resolveDirectory(input, context)
    if (input.task === undefined) {
      const tasks = await context.tasks.list({ cwd })
      return {
        tasks: tasks.map(({ definition, status }) => ({
          task: definition.task_slug,
          title: definition.title,
          status: status.status,
          gate: formatGate(status.current_gate),
        })),
      }
    }
    const { sessions, index, ...detail } = await context.tasks.show({ cwd, slug: input.task })
    return { ...detail, checkpoints: index.checkpoints.length, sessions: sessions.slice(-SHOWN_SESSIONS) }
  },
})
