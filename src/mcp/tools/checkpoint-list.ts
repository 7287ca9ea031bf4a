import * as z from 'zod'
import { count, project } from '../arguments.ts'
import { listNamed } from '../named-checkpoints.ts'
import { defineTool } from '../tool.ts'

const USUAL = 20

export const checkpointList = defineTool({
  name: 'checkpoint_list',
  description: 'Named checkpoints of the project, newest first.',
  input: z.object({ ...project, limit: count(200) }),
  hints: { isReadOnly: true },
  async run(input, context) {
    const named = await listNamed(input, context)
    const shown = named.slice(0, input.limit ?? USUAL)
    return {
      count: named.length,
      checkpoints: shown.map(({ checkpoint }) => ({
        name: checkpoint.name,
        id: checkpoint.id,
        saved_at: checkpoint.createdAt,
        branch: checkpoint.place.branch ?? null,
        summary: checkpoint.summary,
        next_action: checkpoint.nextAction ?? null,
      })),
    }
  },
})
