import * as z from 'zod'
import { count, project, projectRef } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

const USUAL = 20

export const checkpointList = defineTool({
  name: 'checkpoint_list',
  description: 'Named checkpoints of the project, newest first.',
  input: z.object({ ...project, limit: count(200) }),
  hints: { isReadOnly: true },
  async run(input, context) {
    const named = await context.door.listNamed(projectRef(input, context))
    return {
      count: named.length,
      checkpoints: named.slice(0, input.limit ?? USUAL).map((listing) => ({
        name: listing.name,
        path: listing.path ?? null,
        saved_at: listing.savedAt,
        task: listing.task,
        next_action: listing.nextAction || null,
        branch: listing.branch ?? null,
        edited: !listing.isOurs,
        score: listing.score,
      })),
    }
  },
})
