import * as z from 'zod'
import { MemoryId } from '../../kernel/id.ts'
import { describeOutdated, MEMORY_SCOPES, MEMORY_TYPES, type Memory } from '../../kernel/memory.ts'
import { count, resolveDirectory, optionalText, project, session, text, textList } from '../tool/arguments.ts'
import { findSession } from '../tool/caller.ts'
import { defineTool } from '../tool/tool.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Continuity } from '../../app/continuity.ts'
import { HEADER } from '../../wire/headers.ts'

const MAX_NAMED = 10
/** An id or its beginning. Anything else is a text: a word may be a part of the id of another memory. */
const IS_ID = /^mem-[\w-]+$/

/** Of a memory, the share that a text must have to mean it. */
const LEAST_SHARE = 0.5

/** The one memory with this text, or else the only one that has little more: several similar ones are never deleted together. */
async function findByText(given: string, { forgetMemories }: Pick<Continuity, 'forgetMemories'>, cwd: string) {
  const containing = await forgetMemories({ cwd, text: given, isPreview: true })
  const same = containing.filter(({ content }) => content.trim().toLowerCase() === given.toLowerCase())
  const [memory, ...more] = same.length > 0 ? same : containing
  const isMeant = same.length > 0 || (/\s/.test(given) && given.length >= LEAST_SHARE * (memory?.content.length ?? 0))
  if (memory !== undefined && more.length === 0 && isMeant) return memory.id
  if (memory === undefined)
    throw new HoldfastError('not-found', 'No memory of this project has this text. Nothing was deleted.', {
      hint: 'recall finds it and its id.',
    })
  const ids = [memory, ...more].slice(0, MAX_NAMED).map(({ id }) => id)
  throw new HoldfastError(
    'conflict',
    `${more.length === 0 ? 'A memory contains' : `${more.length + 1} memories have`} this text. Nothing was deleted.`,
    {
      hint: `Pass the id of one: ${ids.join(', ')}${more.length < MAX_NAMED ? '' : ', …'}`,
    },
  )
}

export const forget = defineTool({
  name: 'forget',
  description: 'Deletes (removes) the memory with this id or text. To change one, use remember with supersedes.',
  input: z.object({ id: text }),
  aliases: { memory_id: 'id', memoryId: 'id', key: 'id', text: 'id', content: 'id', memory: 'id', query: 'id' },
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
    const found = IS_ID.test(id) ? MemoryId(id) : await findByText(id, continuity, caller.cwd)
    await continuity.forget(found, caller.cwd)
    return { ok: true, id: found, forgotten: true }
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
  description: 'Searches memories of the project and of the user; without query, finds the newest.',
  input: z.object({ ...project, query: optionalText, type: z.enum(MEMORY_TYPES).optional(), limit: count(50) }),
  aliases: { text: 'query', q: 'query', question: 'query', content: 'query', top_k: 'limit', k: 'limit' },
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

/** The names of the two scopes in other memory servers. */
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
  description: 'Stores (saves) one decision, preference, fact or lesson beyond this session. Never secrets.',
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
  aliases: { text: 'content', memory: 'content', fact: 'content', value: 'content' },
  redactedLater: ['content', 'text', 'memory', 'fact', 'value', 'tags'],
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
