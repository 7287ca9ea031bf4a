import * as z from 'zod'
import { HoldfastError } from '../../../kernel/errors.ts'
import { MemoryId } from '../../../kernel/id.ts'
import { text } from '../../tool/arguments.ts'
import { HEADER } from '../../../wire/headers.ts'
import { defineTool } from '../../tool/tool.ts'

export const forget = defineTool({
  name: 'forget',
  description: 'Deletes a memory for good. To change one, use remember with supersedes.',
  input: z.object({ id: text }),
  aliases: { memory_id: 'id' },
  hints: { isDestructive: true },
  async run({ id }, { continuity, caller }) {
    if (caller.cwd === undefined) {
      throw new HoldfastError(
        'invalid-input',
        'A memory is deleted only from its own project, and your folder is unknown.',
        {
          hint: `Start the MCP server in a folder of that project (over HTTP, send its path in the header ${HEADER.cwd}), or have the user run \`holdfast forget\` there.`,
        },
      )
    }
    await continuity.forget(MemoryId(id), caller.cwd)
    return { ok: true, id, forgotten: true }
  },
})
