import * as z from 'zod'
import { MEMORY_TYPES, type Memory } from '../../../kernel/memory.ts'
import { count, directoryOf, optionalText, project } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

const USUAL = 10

const shown = ({ id, type, content, importance, tags, createdAt }: Memory) => ({
  id,
  type,
  content,
  importance,
  tags,
  created_at: createdAt,
})

export const recall = defineTool({
  name: 'recall',
  description: 'Finds memories of the project; without query, the newest.',
  input: z.object({ ...project, query: optionalText, type: z.enum(MEMORY_TYPES).optional(), limit: count(50) }),
  aliases: { text: 'query' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const cwd = await directoryOf(input, context)
    const { query, type, limit = USUAL } = input
    const types = type === undefined ? {} : { types: [type] }
    if (query === undefined) {
      const memories = await context.continuity.listMemories({ cwd, limit, ...types })
      return { count: memories.length, memories: memories.map(shown) }
    }
    const hits = await context.continuity.recall({ cwd, text: query, limit, ...types })
    return { query, count: hits.length, memories: hits.map(({ memory }) => shown(memory)) }
  },
})
