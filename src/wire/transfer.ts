import * as z from 'zod'
import type { TranscriptItem } from '../kernel/event.ts'
import type { ReceivedHandoff } from '../transfer/handoff/receive-handoff.ts'
import type { HistoryAnswer, HistoryBatch } from '../transfer/import/import-history.ts'
import { CheckpointSchema, StoredCheckpointSchema } from './checkpoint.ts'
import { SessionEventSchema } from './event.ts'
import { HarnessSchema, SessionKeySchema } from './id.ts'
import type { SameShape } from '../kernel/same-shape.ts'

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

export const HistoryBatchBody = z.object({
  harness: HarnessSchema,
  sessionKey: SessionKeySchema,
  cwd: z.string().min(1).optional(),
  gitBranch: z.string().optional(),
  upTo: z.number().int().min(0),
  items: z.array(ItemSchema).max(500),
  isLast: z.boolean(),
})
true satisfies SameShape<z.output<typeof HistoryBatchBody>, HistoryBatch>

export const HistoryReply = z.object({
  standing: z.enum(['absent', 'open', 'over', 'known', 'off']),
  upTo: z.number(),
  kept: z.number(),
})
true satisfies SameShape<z.output<typeof HistoryReply>, HistoryAnswer>

/** Of one line of history: enough that some are known wherever the repository was fetched lately. */
export const MAX_COMMITS = 64
export const CommitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)

export const ReceiveHandoffBody = z.object({
  cwd: z.string().min(1),
  checkpoint: CheckpointSchema,
  commits: z.array(CommitId).max(MAX_COMMITS).optional(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  signedBy: z.string().regex(/^[0-9a-f]{64}$/),
})
true satisfies SameShape<z.output<typeof ReceiveHandoffBody>, ReceivedHandoff>
export const HandoffReply = z.object({ checkpoint: StoredCheckpointSchema })
