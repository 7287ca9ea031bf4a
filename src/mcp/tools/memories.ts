import * as z from 'zod'
import { MemoryId } from '../../kernel/id.ts'
import { describeOutdated, MEMORY_SCOPES, MEMORY_TYPES, type Memory } from '../../kernel/memory.ts'
import { count, resolveDirectory, optionalText, project, session, text, textList } from '../tool/arguments.ts'
import { findSession } from '../tool/caller.ts'
import { defineTool } from '../tool/tool.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { HEADER } from '../../wire/headers.ts'

export const forget = defineTool({
  name: 'forget',
  description: 'Deletes a memory. To change one, use remember with supersedes.',
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

const DEFAULT_MEMORIES = 10

const roundScore = (score: number) => Math.round(Math.max(0, score) * 100) / 100

const renderMemory = ({ id, type, content, importance, tags, createdAt, scope, origin }: Memory) => ({
  id,
  type,
  content,
  importance,
  tags,
  created_at: createdAt,
  ...(scope !== undefined && { scope }),
  ...(origin !== undefined && { machine: origin.machine.name }),
})

export const recall = defineTool({
  name: 'recall',
  description: 'Finds memories of the project and of the user; without query, the newest.',
  input: z.object({ ...project, query: optionalText, type: z.enum(MEMORY_TYPES).optional(), limit: count(50) }),
  aliases: { text: 'query' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const cwd = await resolveDirectory(input, context)
    const { query, type, limit = DEFAULT_MEMORIES } = input
    const types = type === undefined ? {} : { types: [type] }
    if (query === undefined) {
      const memories = await context.continuity.listMemories({ cwd, limit, ...types })
      return { count: memories.length, memories: memories.map(renderMemory) }
    }
    const hits = await context.continuity.recall({ cwd, text: query, limit, ...types })
    return {
      query,
      count: hits.length,
      memories: hits.map(({ memory, relevance, outdated }) => ({
        ...renderMemory(memory),
        score: roundScore(relevance),
        ...(outdated !== undefined && { outdated: describeOutdated(outdated) }),
      })),
    }
  },
})

/** What other memory servers call the two scopes. */
const OTHER_SCOPES: Readonly<Record<string, 'me' | 'project'>> = {
  user: 'me',
  global: 'me',
  agent: 'project',
  org: 'project',
  session: 'project',
  workspace: 'project',
  repository: 'project',
}

function resolveScope(given: unknown): unknown {
  return (typeof given === 'string' ? OTHER_SCOPES[given.toLowerCase()] : undefined) ?? given ?? undefined
}

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
    scope: z
      .preprocess(resolveScope, z.enum(MEMORY_SCOPES).optional())
      .describe('me: for every project of the user. team: proposed for sharing with the team'),
    ...session,
  }),
  aliases: { text: 'content', memory: 'content' },
  redactedLater: ['content', 'text', 'memory', 'tags'],
  async run(input, context) {
    const { content, type, importance, tags, supersedes, scope } = input
    const found = await findSession(input.session_id, context)
    const memory = await context.continuity.remember({
      content,
      cwd: await resolveDirectory(input, context),
      source: 'mcp',
      ...(type !== undefined && { type }),
      ...(importance !== undefined && { importance }),
      ...(tags !== undefined && { tags }),
      ...(supersedes !== undefined && { supersedes: MemoryId(supersedes) }),
      ...(scope !== undefined && { scope }),
      ...(found !== undefined && { session: { harness: found.harness, sessionKey: found.sessionKey } }),
    })
    return {
      ok: true,
      id: memory.id,
      type: memory.type,
      importance: memory.importance,
      created_at: memory.createdAt,
      ...(memory.isProposed === true && { note: 'Proposed. It is stored once the user approves it.' }),
    }
  },
})
