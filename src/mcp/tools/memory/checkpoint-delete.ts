import * as z from 'zod'
import { project, projectRef, text } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

export const checkpointDelete = defineTool({
  name: 'checkpoint_delete',
  description: 'Deletes what was saved under a name, for good: only when the task is done and the user agrees.',
  input: z.object({ ...project, name: text }),
  hints: { isDestructive: true },
  async run({ name, ...where }, context) {
    const deleted = await context.door.deleteNamed({ ...projectRef(where, context), name })
    return { ok: true, name: deleted.name, path: deleted.path ?? null, stored: deleted.stored }
  },
})
