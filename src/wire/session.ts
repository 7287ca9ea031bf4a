import * as z from 'zod'
import type { Recorded } from '../capture/use-cases.ts'
import { PHASES, type Session } from '../kernel/session.ts'
import { EndReasonSchema, ProcessRefSchema, StartSourceSchema } from './event.ts'
import { HarnessSchema, SessionIdSchema, SessionKeySchema } from './id.ts'
import { PlaceSchema } from './place.ts'
import { limit, listOf } from './query.ts'
import type { SameShape } from '../kernel/same-shape.ts'

export const SessionSchema = z.object({
  id: SessionIdSchema,
  key: SessionKeySchema,
  harness: z.string(),
  harnessVersion: z.string().optional(),
  place: PlaceSchema.optional(),
  cwd: z.string().optional(),
  transcriptPath: z.string().optional(),
  phase: z.enum(PHASES),
  source: StartSourceSchema.optional(),
  model: z.string().optional(),
  process: ProcessRefSchema.optional(),
  machine: z.object({ id: z.string(), name: z.string() }).optional(),
  previousSessionKey: SessionKeySchema.optional(),
  continues: SessionIdSchema.optional(),
  projectSince: z.object({ seq: z.number(), at: z.string() }).optional(),
  startedAt: z.string(),
  lastEventAt: z.string(),
  lastEventSeq: z.number(),
  endedAt: z.string().optional(),
  endReason: EndReasonSchema.optional(),
  promptCount: z.number(),
  toolCount: z.number(),
  compactionCount: z.number(),
  promptsSinceCheckpoint: z.number(),
  hasNewWork: z.boolean(),
  lastCheckpointAt: z.string().optional(),
  contextTokens: z.number().optional(),
  contextWindowTokens: z.number().optional(),
  epoch: z.number(),
  recoveredEpoch: z.number(),
})
true satisfies SameShape<z.output<typeof SessionSchema>, Session>

const RecordedSchema = z.object({ seq: z.number(), isNew: z.boolean(), session: SessionSchema })
true satisfies SameShape<z.output<typeof RecordedSchema>, Recorded>
export const RecordEventsReply = z.object({ recorded: z.array(RecordedSchema) })

export const SessionsQuery = z.object({
  cwd: z.string().min(1).optional(),
  phases: listOf(z.enum(PHASES)).optional(),
  limit: limit(500, 50),
})
export const SessionsReply = z.object({ sessions: z.array(SessionSchema) })
export const SessionParams = z.object({ sessionKey: SessionKeySchema })
export const SessionQuery = z.object({ harness: HarnessSchema.optional() })
export const SessionReply = z.object({ session: SessionSchema })
