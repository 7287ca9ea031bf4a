import * as z from 'zod'
import { CHECKPOINT_TRIGGERS, type CheckpointHead, type StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { TranscriptItem } from '../kernel/event.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { CheckpointSchema, CommitId, MAX_COMMITS, StoredCheckpointSchema } from '../wire/checkpoint.ts'
import { SessionEventSchema } from '../wire/event.ts'
import {
  CheckpointIdSchema,
  HarnessSchema,
  NoReply,
  ProjectIdSchema,
  SessionIdSchema,
  SessionKeySchema,
  limit,
  commaSeparated,
} from '../wire/fields.ts'
import type { Route } from './route.ts'
import { SessionParams } from './sessions.ts'

/** A stored checkpoint with the column names of the Session Continuity Protocol beside ours, for scripts written against those. */
const CheckpointRowSchema = z.object({
  ...StoredCheckpointSchema.shape,
  id: CheckpointIdSchema,
  session_key: SessionKeySchema,
  harness: z.string(),
  project: z.string(),
  project_normalized: z.string(),
  trigger: z.enum(CHECKPOINT_TRIGGERS),
  digest: z.string(),
  prompt_count: z.number(),
  memory_queries: z.array(z.string()),
  recent_remembers: z.array(z.string()),
  created_at: z.string(),
})

export function checkpointRow(stored: StoredCheckpoint) {
  const { checkpoint } = stored
  return {
    ...stored,
    id: checkpoint.id,
    session_key: checkpoint.sessionKey,
    harness: checkpoint.harness,
    project: checkpoint.place.project,
    project_normalized: checkpoint.place.projectNormalized,
    trigger: checkpoint.trigger,
    digest: checkpoint.digest,
    prompt_count: checkpoint.promptCount,
    memory_queries: checkpoint.recentQueries,
    recent_remembers: checkpoint.recentRemembers,
    created_at: checkpoint.createdAt,
  }
}

const CheckpointHeadSchema = z.object({
  id: CheckpointIdSchema,
  seq: z.number(),
  sessionId: SessionIdSchema,
  sessionKey: SessionKeySchema,
  harness: z.string(),
  projectId: ProjectIdSchema,
  project: z.string(),
  worktree: z.string(),
  branch: z.string().optional(),
  trigger: z.enum(CHECKPOINT_TRIGGERS),
  name: z.string().optional(),
  summary: z.string(),
  promptCount: z.number(),
  eventSeq: z.number(),
  createdAt: z.string(),
})
true satisfies SameShape<z.output<typeof CheckpointHeadSchema>, CheckpointHead>
const CheckpointsReply = z.object({ checkpoints: z.array(CheckpointRowSchema) })

const NoteSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('statement'), text: z.string(), at: z.string().optional() }),
  z.object({
    kind: z.literal('context-measured'),
    contextTokens: z.number(),
    windowTokens: z.number().optional(),
    model: z.string().optional(),
  }),
  z.object({ kind: z.literal('summary-shown'), text: z.string() }),
])
const ItemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), event: SessionEventSchema }),
  z.object({ type: z.literal('note'), note: NoteSchema }),
])
true satisfies SameShape<z.output<typeof ItemSchema>, TranscriptItem>

export const CHECKPOINT_ROUTES = {
  listCheckpoints: {
    method: 'GET',
    path: '/api/checkpoints',
    scope: 'read',
    summary: 'Checkpoints, newest first.',
    query: z.object({
      projectId: ProjectIdSchema.optional(),
      project: z.string().min(1).optional(),
      sessionId: SessionIdSchema.optional(),
      sessionKey: SessionKeySchema.optional(),
      worktree: z.string().min(1).optional(),
      branch: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      since: z.iso.datetime().optional(),
      excludeSessions: commaSeparated(SessionIdSchema).optional(),
      limit: limit(500, 10),
    }),
    reply: CheckpointsReply,
  },
  listCheckpointHeads: {
    method: 'GET',
    path: '/api/checkpoint-heads',
    scope: 'read',
    summary: 'Checkpoints without their content, newest first; `beforeSeq` continues after the last one.',
    query: z.object({
      cwd: z.string().min(1).optional(),
      sessionId: SessionIdSchema.optional(),
      sessionKey: SessionKeySchema.optional(),
      trigger: z.enum(CHECKPOINT_TRIGGERS).optional(),
      beforeSeq: z.coerce.number().int().min(0).optional(),
      limit: limit(500, 100),
    }),
    reply: z.object({ heads: z.array(CheckpointHeadSchema) }),
    useCase: 'continuity.listCheckpointHeads',
    result: 'heads',
  },
  getCheckpoint: {
    method: 'GET',
    path: '/api/checkpoint/:id',
    scope: 'read',
    summary: 'One checkpoint, by its id or a unique prefix of it.',
    params: z.object({ id: CheckpointIdSchema }),
    reply: z.object({ checkpoint: StoredCheckpointSchema }),
    useCase: 'continuity.getCheckpoint',
    args: ['id'],
    result: 'checkpoint',
  },
  checkpointNow: {
    method: 'POST',
    path: '/api/checkpoints',
    scope: 'write',
    summary: 'Composes and stores a checkpoint of a session now.',
    body: z.object({ sessionId: SessionIdSchema, trigger: z.enum(CHECKPOINT_TRIGGERS) }),
    reply: z.object({ checkpoint: StoredCheckpointSchema.optional() }),
    useCase: 'continuity.checkpoint',
    args: ['sessionId', 'trigger'],
    result: 'checkpoint',
  },
  listSessionCheckpoints: {
    method: 'GET',
    path: '/api/checkpoints/:sessionKey',
    scope: 'read',
    summary: "A session's checkpoints, newest first.",
    params: SessionParams,
    query: z.object({ limit: limit(500, 50) }),
    reply: CheckpointsReply,
  },
  deleteCheckpoint: {
    method: 'DELETE',
    path: '/api/checkpoints/id/:id',
    scope: 'write',
    summary: 'Deletes one checkpoint.',
    params: z.object({ id: CheckpointIdSchema }),
    reply: NoReply,
    useCase: 'continuity.deleteCheckpoint',
    args: ['id'],
  },
} as const satisfies Readonly<Record<string, Route>>

export const TRANSFER_ROUTES = {
  importHistory: {
    method: 'POST',
    path: '/api/history',
    scope: 'write',
    summary: 'Consecutive events of a finished session, read from its transcript. Known events are no-ops.',
    body: z.object({
      harness: HarnessSchema,
      sessionKey: SessionKeySchema,
      cwd: z.string().min(1).optional(),
      gitBranch: z.string().optional(),
      upTo: z.number().int().min(0),
      items: z.array(ItemSchema).max(500),
      isLast: z.boolean(),
    }),
    redactedEach: ['items'],
    reply: z.object({
      standing: z.enum(['absent', 'open', 'over', 'known', 'off']),
      upTo: z.number(),
      kept: z.number(),
    }),
    useCase: 'continuity.importHistory',
  },
  receiveHandoff: {
    method: 'POST',
    path: '/api/handoffs',
    scope: 'write',
    summary: 'Stores a checkpoint from another machine, received in a bundle with a verified signature.',
    body: z.object({
      cwd: z.string().min(1),
      checkpoint: CheckpointSchema,
      commits: z.array(CommitId).max(MAX_COMMITS).optional(),
      digest: z.string().regex(/^[0-9a-f]{64}$/),
      signedBy: z.string().regex(/^[0-9a-f]{64}$/),
    }),
    redactedEach: ['checkpoint'],
    reply: z.object({ checkpoint: StoredCheckpointSchema }),
    useCase: 'continuity.receiveHandoff',
    result: 'checkpoint',
  },
} as const satisfies Readonly<Record<string, Route>>
