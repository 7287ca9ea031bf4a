import * as z from 'zod'
import { MemoryId } from '../../core/id.ts'
import { text } from '../arguments.ts'
import { defineTool } from '../tool.ts'

export const forget = defineTool({
  name: 'forget',
  description: 'Deletes a memory for good. To change one, use remember with supersedes.',
  input: z.object({ id: text }),
  aliases: { memory_id: 'id' },
  hints: { isDestructive: true },
  async run({ id }, { continuity }) {
    await continuity.forget(MemoryId(id))
    return { ok: true, id, forgotten: true }
  },
})
