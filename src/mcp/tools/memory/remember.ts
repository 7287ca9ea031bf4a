import * as z from 'zod'
import { MemoryId } from '../../../kernel/id.ts'
import { MEMORY_TYPES } from '../../../kernel/memory.ts'
import { count, directoryOf, optionalText, project, session, text, textList } from '../../tool/arguments.ts'
import { findSession } from '../../tool/caller.ts'
import { defineTool } from '../../tool/tool.ts'

export const remember = defineTool({
  name: 'remember',
  description: 'Keeps one decision, preference, fact or lesson beyond this session. Never secrets.',
  input: z.object({
    ...project,
    content: text,
    type: z.enum(MEMORY_TYPES).optional(),
    importance: count(10),
    tags: textList,
    supersedes: optionalText.describe('id of the memory it replaces'),
    ...session,
  }),
  aliases: { text: 'content', memory: 'content' },
  redactedLater: ['content', 'text', 'memory', 'tags'],
  async run(input, context) {
    const { content, type, importance, tags, supersedes } = input
    const found = await findSession(input.session_id, context)
    const memory = await context.continuity.remember({
      content,
      cwd: await directoryOf(input, context),
      source: 'mcp',
      ...(type !== undefined && { type }),
      ...(importance !== undefined && { importance }),
      ...(tags !== undefined && { tags }),
      ...(supersedes !== undefined && { supersedes: MemoryId(supersedes) }),
      ...(found !== undefined && { session: { harness: found.harness, sessionKey: found.sessionKey } }),
    })
    return { ok: true, id: memory.id, type: memory.type, importance: memory.importance, created_at: memory.createdAt }
  },
})
