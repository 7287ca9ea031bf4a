import * as z from 'zod'
import { COMMAND_PURPOSES } from '../kernel/checkpoint.ts'
import type { RecallInput, RememberInput } from '../memory/use-cases.ts'
import { MEMORY_TYPES, type Memory, type MemoryHit, FAILURE_KINDS } from '../kernel/memory.ts'
import { HarnessSchema, MemoryIdSchema, ProjectIdSchema, SessionIdSchema, SessionKeySchema } from './id.ts'
import { limit, listOf } from './query.ts'
import type { SameShape } from '../kernel/same-shape.ts'

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

export const RememberBody = z.object({
  content: z.string().min(1).max(20_000),
  cwd: z.string().min(1),
  type: memoryType.optional(),
  importance: z.number().int().min(1).max(10).optional(),
  tags: z.array(z.string().min(1).max(64)).max(32).optional(),
  source: z.string().min(1).max(200),
  supersedes: MemoryIdSchema.optional(),
  session: z.object({ harness: HarnessSchema, sessionKey: SessionKeySchema }).optional(),
})
true satisfies SameShape<z.output<typeof RememberBody>, RememberInput>
export const MemoryReply = z.object({ memory: MemorySchema })

export const MemoriesQuery = z.object({
  cwd: z.string().min(1),
  types: listOf(memoryType).optional(),
  limit: limit(500, 50),
})
export const MemoriesReply = z.object({ memories: z.array(MemorySchema) })

/** `q` is the text to search for; the rest is `RecallInput`. */
export const RecallQuery = z
  .object({
    q: z.string().min(1).max(4_000),
    cwd: z.string().min(1),
    types: listOf(memoryType).optional(),
    limit: limit(100, 10),
  })
  .transform(({ q, ...rest }) => ({ ...rest, text: q }))
true satisfies SameShape<z.output<typeof RecallQuery>, RecallInput>
export const RecallReply = z.object({ hits: z.array(MemoryHitSchema) })

export const MemoryParams = z.object({ id: MemoryIdSchema })
/** With `cwd`, only a memory of the project there is deleted. */
export const ForgetQuery = z.object({ cwd: z.string().min(1).optional() })
