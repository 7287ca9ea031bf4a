import * as z from 'zod'
import { project, text } from '../arguments.ts'
import { getNamed } from '../named-checkpoints.ts'
import { defineTool } from '../tool.ts'

export const checkpointDelete = defineTool({
  name: 'checkpoint_delete',
  description: 'Deletes what was saved under a name, for good.',
  input: z.object({ ...project, name: text }),
  hints: { isDestructive: true },
  async run(input, context) {
    const { newest, older } = await getNamed(input.name, input, context)
    const ids = [newest, ...older].map(({ checkpoint }) => checkpoint.id)
    for (const id of ids) await context.continuity.deleteCheckpoint(id)
    return { ok: true, name: input.name, deleted: ids }
  },
})
