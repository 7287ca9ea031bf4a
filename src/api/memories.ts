import * as z from 'zod'
import { COMMAND_PURPOSES } from '../kernel/checkpoint.ts'
import {
  ANCHOR_KINDS,
  ANCHOR_STATES,
  DRAFT_STATES,
  FAILURE_KINDS,
  MEMORY_SCOPES,
  MEMORY_TYPES,
  type Memory,
  type MemoryDraft,
  type MemoryHit,
} from '../kernel/memory.ts'
import type { MemoryDetail } from '../memory/use-cases.ts'
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
import { OriginSchema } from '../wire/session.ts'
import { flag } from './projects.ts'
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
const AnchorSchema = z.object({
  kind: z.enum(ANCHOR_KINDS),
  name: z.string(),
  hash: z.string().optional(),
  file: z.string().optional(),
})
export const MemorySchema = z.object({
  id: MemoryIdSchema,
  projectId: ProjectIdSchema,
  scope: z.enum(MEMORY_SCOPES).optional(),
  origin: OriginSchema.optional(),
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
  anchors: z.array(AnchorSchema).optional(),
  isProposed: z.boolean().optional(),
  evidence: FailureEvidenceSchema.optional(),
})
true satisfies SameShape<z.output<typeof MemorySchema>, Memory>
const AnchorCheckSchema = z.object({ anchor: AnchorSchema, state: z.enum(ANCHOR_STATES) })
const MemoryHitSchema = z.object({
  memory: MemorySchema,
  score: z.number(),
  coverage: z.number(),
  relevance: z.number(),
  outdated: z.array(AnchorCheckSchema).optional(),
})
true satisfies SameShape<z.output<typeof MemoryHitSchema>, MemoryHit>

const MemoryDetailSchema = z.object({
  memory: MemorySchema,
  checks: z.array(AnchorCheckSchema),
  history: z.array(MemorySchema),
})
true satisfies SameShape<z.output<typeof MemoryDetailSchema>, MemoryDetail>
const DraftSchema = z.object({ state: z.enum(DRAFT_STATES), at: z.string(), memory: MemorySchema })
true satisfies SameShape<z.output<typeof DraftSchema>, MemoryDraft>

const content = z.string().min(1).max(20_000)
const importance = z.number().int().min(1).max(10)
const tags = z.array(z.string().min(1).max(64)).max(32)
const idParams = z.object({ id: MemoryIdSchema })
const idList = z.array(MemoryIdSchema).max(500)
const MemoriesReply = z.object({ memories: z.array(MemorySchema) })

export const MEMORY_ROUTES = {
  listMemories: {
    method: 'GET',
    path: '/api/memories',
    scope: 'read',
    summary: "A project's current memories, newest first; `afterMemory` continues after that one.",
    query: z.object({
      cwd: z.string().min(1),
      types: commaSeparated(memoryType).optional(),
      scope: z.enum(MEMORY_SCOPES).optional(),
      includeTasks: flag.optional(),
      afterMemory: MemoryIdSchema.optional(),
      limit: limit(500, 50),
    }),
    reply: MemoriesReply,
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
        scope: z.enum(MEMORY_SCOPES).optional(),
        includeTasks: flag.optional(),
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
      content,
      cwd: z.string().min(1),
      type: memoryType.optional(),
      importance: importance.optional(),
      tags: tags.optional(),
      source: z.string().min(1).max(200),
      supersedes: MemoryIdSchema.optional(),
      scope: z.enum(MEMORY_SCOPES).optional(),
      session: z.object({ harness: HarnessSchema, sessionKey: SessionKeySchema }).optional(),
      isByAgent: z.boolean().optional(),
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
    params: idParams,
    query: z.object({ cwd: z.string().min(1).optional() }),
    reply: NoReply,
    useCase: 'continuity.forget',
    args: ['id', 'cwd'],
  },
  getMemory: {
    method: 'GET',
    path: '/api/memories/:id',
    scope: 'read',
    summary: 'One memory, the state of the files and commits that it names, and its older versions.',
    params: idParams,
    query: z.object({ cwd: z.string().min(1).optional() }),
    reply: MemoryDetailSchema,
    useCase: 'continuity.getMemory',
    args: ['id', 'cwd'],
  },
  editMemory: {
    method: 'POST',
    path: '/api/memories/:id',
    scope: 'write',
    summary: 'Changes a memory; other content makes a new one that supersedes it.',
    params: idParams,
    body: z.object({
      cwd: z.string().min(1),
      content: content.optional(),
      type: memoryType.optional(),
      importance: importance.optional(),
      tags: tags.optional(),
      isPinned: z.boolean().optional(),
      isByAgent: z.boolean().optional(),
    }),
    redactedLater: ['content', 'tags'],
    reply: z.object({ memory: MemorySchema }),
    useCase: 'continuity.editMemory',
    result: 'memory',
  },
  shareMemory: {
    method: 'POST',
    path: '/api/memories/:id/share',
    scope: 'write',
    summary: 'Shares a memory with the team of its repository, or stops that.',
    params: idParams,
    body: z.object({ cwd: z.string().min(1), isShared: z.boolean() }),
    reply: z.object({ memory: MemorySchema }),
    useCase: 'continuity.shareMemory',
    result: 'memory',
  },
  forgetMemories: {
    method: 'POST',
    path: '/api/memory-sets/forget',
    scope: 'write',
    summary:
      'Forgets the memories with these ids and those that contain a text, or previews that. Pinned ones need their id.',
    body: z.object({
      cwd: z.string().min(1),
      text: z.string().min(1).max(4_000).optional(),
      ids: idList.optional(),
      isPreview: z.boolean().optional(),
    }),
    reply: MemoriesReply,
    useCase: 'continuity.forgetMemories',
    result: 'memories',
  },
  restoreMemories: {
    method: 'POST',
    path: '/api/memory-sets/restore',
    scope: 'write',
    summary: 'Restores memories that were forgotten within a week.',
    body: z.object({ ids: idList.min(1) }),
    reply: MemoriesReply,
    useCase: 'continuity.restoreMemories',
    result: 'memories',
  },
  listDrafts: {
    method: 'GET',
    path: '/api/memory-drafts',
    scope: 'read',
    summary: 'Memories of a project that are not in force: proposed, rejected or forgotten ones.',
    query: z.object({ cwd: z.string().min(1), states: commaSeparated(z.enum(DRAFT_STATES)).optional() }),
    reply: z.object({ drafts: z.array(DraftSchema) }),
    useCase: 'continuity.listDrafts',
    result: 'drafts',
  },
  reviewDraft: {
    method: 'POST',
    path: '/api/memory-drafts/:id',
    scope: 'write',
    summary: "The user's decision on a proposed memory.",
    params: idParams,
    body: z.object({ action: z.enum(['approve', 'reject']), content: content.optional() }),
    redactedLater: ['content'],
    reply: z.object({ draft: DraftSchema }),
    useCase: 'continuity.reviewDraft',
    result: 'draft',
  },
} as const satisfies Readonly<Record<string, Route>>
