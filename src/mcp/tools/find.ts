import * as z from 'zod'
import { FIND_KINDS } from '../../kernel/archive.ts'
import { count, optionalText, text } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

const DEFAULT_HITS = 10

export const find = defineTool({
  name: 'find',
  description: 'Full-text search over all past sessions, of all projects. recall is for memories of this one.',
  input: z.object({
    words: text,
    kind: z.enum(FIND_KINDS).optional(),
    since: optionalText,
    until: optionalText,
    limit: count(50),
  }),
  aliases: { query: 'words' },
  hints: { isReadOnly: true },
  async run({ words, kind, since, until, limit = DEFAULT_HITS }, { continuity }) {
    const { hits, isComplete } = await continuity.find({
      text: words,
      limit,
      ...(kind !== undefined && { kinds: [kind] }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    })
    return { count: hits.length, hits, is_complete: isComplete }
  },
})
