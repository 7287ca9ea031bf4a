import * as z from 'zod'
import { text, project, toProjectRef } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

export const listProjects = defineTool({
  name: 'list_projects',
  description: 'Registered projects.',
  input: z.object({}),
  hints: { isReadOnly: true },
  async run(_, context) {
    const projects = await context.agentApi.listProjects()
    return {
      projects: projects.map(({ name, rootPath, isOnDisk }) => ({ name, root_path: rootPath, exists: isOnDisk })),
    }
  },
})

export const addProjectKeyword = defineTool({
  name: 'add_project_keyword',
  description: 'Adds a word by which Pieces history knows the project.',
  input: z.object({ ...project, keyword: text }),
  hints: { isIdempotent: true },
  async run(input, context) {
    const changed = await context.agentApi.addProjectKeyword({
      ...toProjectRef(input, context),
      keyword: input.keyword,
    })
    return {
      ok: true,
      project: changed.name,
      keyword_added: input.keyword.toLowerCase(),
      all_keywords: changed.keywords,
    }
  },
})

export const registerProject = defineTool({
  name: 'register_project',
  description: 'Gives a directory the name that every other tool knows it by.',
  input: z.object({ project_name: text, root_path: text.describe('absolute') }),
  aliases: { name: 'project_name', path: 'root_path' },
  hints: { isIdempotent: true },
  async run(input, context) {
    const registered = await context.agentApi.registerProject({ name: input.project_name, rootPath: input.root_path })
    return { ok: true, project: registered.name, root_path: registered.rootPath }
  },
})
