import * as z from 'zod'
import { text } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

export const registerProject = defineTool({
  name: 'register_project',
  description: 'Gives a directory the name that every other tool knows it by.',
  input: z.object({ project_name: text, root_path: text.describe('absolute') }),
  aliases: { name: 'project_name', path: 'root_path' },
  hints: { isIdempotent: true },
  async run(input, context) {
    const registered = await context.door.registerProject({ name: input.project_name, rootPath: input.root_path })
    return { ok: true, project: registered.name, root_path: registered.rootPath }
  },
})
