import * as z from 'zod'
import type { HistoryHit } from '../../../kernel/agent-records.ts'
import { count, flag, project, projectRef, text } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

const USUAL = 10
const NOTHING = 'Nothing matches. Try fewer or other words.'
const OWN_LEFT_OUT = 'What this session said itself is found with include_own.'

function row(hit: HistoryHit) {
  const isPieces = hit.kind === 'pieces'
  return {
    docid: isPieces ? Number(hit.id) : hit.id,
    kind: hit.kind,
    summary_text: hit.excerpt === '' || hit.excerpt === hit.title ? hit.title : `${hit.title}: ${hit.excerpt}`,
    relevance: isPieces ? 'title_match' : 'text_match',
    ...(hit.at !== undefined && { at: hit.at }),
  }
}

export const searchHistory = defineTool({
  name: 'search_history',
  description: 'Searches saved summaries, checkpoints, memories and Pieces titles of the project.',
  input: z.object({
    ...project,
    query: text,
    limit: count(50),
    include_own: flag.describe('what this session said itself too; left out by default until a compaction'),
  }),
  aliases: { text: 'query' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const ref = projectRef(input, context)
    const { name } = await context.door.resolveProject(ref)
    const { sessionKey, harness } = input.include_own === true ? {} : context.caller
    const hits = await context.door.searchHistory({
      ...ref,
      text: input.query,
      limit: input.limit ?? USUAL,
      ...(sessionKey !== undefined && { sessionKey }),
      ...(harness !== undefined && { harness }),
    })
    return {
      project: name,
      query: input.query,
      count: hits.length,
      results: hits.map(row),
      ...(hits.length === 0 && { note: sessionKey === undefined ? NOTHING : `${NOTHING} ${OWN_LEFT_OUT}` }),
    }
  },
})
