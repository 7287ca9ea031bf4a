import * as z from 'zod'
import { COMMAND_PURPOSES } from '../kernel/checkpoint.ts'
import { FAILURE_KINDS, MEMORY_TYPES, type Memory, type MemoryHit } from '../kernel/memory.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import {
  HarnessSchema,
  MemoryIdSchema,
  NoReply,
  ProjectIdSchema,
  SessionIdSchema,
  SessionKeySchema,
  limit,
  commaSeparated,
} from '../wire/fields.ts'
import type { Route } from './route.ts'

const memoryType = z.enum(MEMORY_TYPES)
/** What was seen of an approach that failed. */
const FailureEvidenceSchema = z.object({
  kind: z.enum(FAILURE_KINDS),
  keys: z.array(z.string()),
  command: z.string(),
  purpose: z.enum(COMMAND_PURPOSES),
  seqs: z.array(z.number()),
  failures: z.number(),
  exitStatus: z.number().optional(),
  error: z.string().optional(),
  traits: z.array(z.string()),
  files: z.array(z.string()),
  undone: z.object({ how: z.string(), helped: z.boolean() }).optional(),
  sessions: z.array(SessionIdSchema),
  branch: z.string().optional(),
  head: z.string().optional(),
  epoch: z.number(),
  resolved: z.object({ sessionId: SessionIdSchema, seq: z.number(), files: z.array(z.string()) }).optional(),
})
const MemorySchema = z.object({
  id: MemoryIdSchema,
  projectId: ProjectIdSchema,
  type: memoryType,
  content: z.string(),
  importance: z.number(),
  tags: z.array(z.string()),
  source: z.string(),
  sessionId: SessionIdSchema.optional(),
  createdAt: z.string(),
  supersedes: MemoryIdSchema.optional(),
  supersededBy: MemoryIdSchema.optional(),
  hits: z.number(),
  lastHitAt: z.string().optional(),
  evidence: FailureEvidenceSchema.optional(),
})
true satisfies SameShape<z.output<typeof MemorySchema>, Memory>
const MemoryHitSchema = z.object({ memory: MemorySchema, score: z.number(), coverage: z.number() })
true satisfies SameShape<z.output<typeof MemoryHitSchema>, MemoryHit>

export const MEMORY_ROUTES = {
  listMemories: {
    method: 'GET',
    path: '/api/memories',
    scope: 'read',
    summary: "A project's current memories.",
    query: z.object({
      cwd: z.string().min(1),
      types: commaSeparated(memoryType).optional(),
      limit: limit(500, 50),
    }),
    reply: z.object({ memories: z.array(MemorySchema) }),
    useCase: 'continuity.listMemories',
    result: 'memories',
  },
  searchMemories: {
    method: 'GET',
    path: '/api/memories/search',
    scope: 'read',
    summary: 'Memories that match a text, best first; never a superseded one.',
    query: z
      .object({
        q: z.string().min(1).max(4_000),
        cwd: z.string().min(1),
        types: commaSeparated(memoryType).optional(),
        limit: limit(100, 10),
      })
      .transform(({ q, ...rest }) => ({ ...rest, text: q })),
    reply: z.object({ hits: z.array(MemoryHitSchema) }),
    useCase: 'continuity.recall',
    sentAs: { text: 'q' },
    result: 'hits',
  },
  remember: {
    method: 'POST',
    path: '/api/memories',
    scope: 'write',
    summary: 'Stores a memory. Text with a secret is refused.',
    body: z.object({
      content: z.string().min(1).max(20_000),
      cwd: z.string().min(1),
      type: memoryType.optional(),
      importance: z.number().int().min(1).max(10).optional(),
      tags: z.array(z.string().min(1).max(64)).max(32).optional(),
      source: z.string().min(1).max(200),
      supersedes: MemoryIdSchema.optional(),
      session: z.object({ harness: HarnessSchema, sessionKey: SessionKeySchema }).optional(),
    }),
    redactedLater: ['content', 'tags'],
    reply: z.object({ memory: MemorySchema }),
    useCase: 'continuity.remember',
    result: 'memory',
  },
  forget: {
    method: 'DELETE',
    path: '/api/memories/:id',
    scope: 'write',
    summary: 'Deletes one memory; with `cwd`, only one of the project there.',
    params: z.object({ id: MemoryIdSchema }),
    query: z.object({ cwd: z.string().min(1).optional() }),
    reply: NoReply,
    useCase: 'continuity.forget',
    args: ['id', 'cwd'],
  },
} as const satisfies Readonly<Record<string, Route>>
