import * as z from 'zod'
import { ERROR_CODES } from '../kernel/errors.ts'
import type { Announcement, Sighting, StoreCounts } from '../kernel/ports/ports.ts'
import { CHECKPOINT_TRIGGERS } from '../kernel/checkpoint.ts'
import { HarnessSchema, SessionIdSchema } from './id.ts'
import type { SameShape } from '../kernel/same-shape.ts'

export const ErrorReply = z.object({
  error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), hint: z.string().optional() }),
})

/** ok: answered just now. read-only: it answers, and the last write failed. slow: asked, and not yet answered. unavailable: failed, or silent for seconds. */
const StoreHealthSchema = z.enum(['ok', 'read-only', 'slow', 'unavailable'])

export const HealthReply = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  startedAt: z.string(),
  uptimeMs: z.number(),
  store: StoreHealthSchema,
  /** Hook events waiting in files. */
  spoolBacklog: z.number(),
  liveSessions: z.number(),
  pid: z.number(),
  /** Equal to the endpoint file's: this is the daemon that wrote it. Only for callers with a credential. */
  nonce: z.string().optional(),
})

/** What the daemon leaves in the home for clients that read JSON. */
export const EndpointSchema = z.object({
  pid: z.number().int(),
  startedAt: z.string(),
  port: z.number().int(),
  socket: z.string(),
  version: z.string(),
  nonce: z.string(),
})

const CountsSchema = z.object({
  events: z.number(),
  sessions: z.number(),
  checkpoints: z.number(),
  memories: z.number(),
})
true satisfies SameShape<z.output<typeof CountsSchema>, StoreCounts>
export const CountsReply = z.object({ counts: CountsSchema })

const SightingSchema = z.object({
  harness: z.string(),
  harnessVersion: z.string(),
  hook: z.string(),
  count: z.number(),
  lastSeenAt: z.string(),
})
true satisfies SameShape<z.output<typeof SightingSchema>, Sighting>
export const SightingsQuery = z.object({ harness: HarnessSchema.optional() })
export const SightingsReply = z.object({ sightings: z.array(SightingSchema) })

/** One frame of the event stream. Frames of kind `event` carry their `seq` as the stream's id, to resume from. */
export const AnnouncementSchema = z.object({
  seq: z.number(),
  kind: z.enum(['event', 'checkpoint', 'session', 'memory', 'receipt']),
  sessionId: SessionIdSchema.optional(),
  detail: z.string(),
  trigger: z.enum(CHECKPOINT_TRIGGERS).optional(),
})
true satisfies SameShape<z.output<typeof AnnouncementSchema>, Announcement>

export const HookParams = z.object({ harness: HarnessSchema, hook: z.string().min(1).max(64) })
export const PageParams = z.object({ page: z.string().min(1).max(200) })
export const LoginQuery = z.object({ code: z.string().min(1).max(200) })
/** `url` works once, for a minute. */
export const LoginCodeReply = z.object({ code: z.string(), url: z.string(), expiresAt: z.string() })
