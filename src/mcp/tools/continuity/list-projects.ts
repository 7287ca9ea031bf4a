import * as z from 'zod'
import { defineTool } from '../../tool/tool.ts'

export const listProjects = defineTool({
  name: 'list_projects',
  description: 'Registered projects.',
  input: z.object({}),
  hints: { isReadOnly: true },
  async run(_, context) {
    const projects = await context.door.listProjects()
    return {
      projects: projects.map(({ name, rootPath, isOnDisk }) => ({ name, root_path: rootPath, exists: isOnDisk })),
    }
  },
})
