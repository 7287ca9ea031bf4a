import * as z from 'zod'
import { project, projectRef, text } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

export const addProjectKeyword = defineTool({
  name: 'add_project_keyword',
  description: 'Another word that Pieces history knows the project by.',
  input: z.object({ ...project, keyword: text }),
  hints: { isIdempotent: true },
  async run(input, context) {
    const changed = await context.door.addProjectKeyword({ ...projectRef(input, context), keyword: input.keyword })
    return {
      ok: true,
      project: changed.name,
      keyword_added: input.keyword.toLowerCase(),
      all_keywords: changed.keywords,
    }
  },
})
