import * as z from 'zod'
import { ERROR_CODES } from '../kernel/errors.ts'

export const ErrorReply = z.object({
  error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), hint: z.string().optional() }),
})

/** ok: answered just now. read-only: answers, but the last write failed. slow: no answer yet. unavailable: failed, or no answer for seconds. */
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

/** The address file in the home, for clients that read JSON. */
export const EndpointSchema = z.object({
  pid: z.number().int(),
  startedAt: z.string(),
  port: z.number().int(),
  socket: z.string(),
  version: z.string(),
  nonce: z.string(),
})

/** `url` works once, for a minute. */
export const LoginCodeReply = z.object({ code: z.string(), url: z.string(), expiresAt: z.string() })

export const DaemonDetailsReply = z.object({
  /** One entry for each minute of the last hour in which a hook was answered. */
  latencies: z.array(
    z.object({ at: z.string(), count: z.number(), p50Ms: z.number(), p95Ms: z.number(), maxMs: z.number() }),
  ),
  memoryBytes: z.number(),
  /** The database and its log; absent if the store is not a file. */
  storeBytes: z.number().optional(),
  /** Everything in the home. */
  homeBytes: z.number(),
  disk: z.object({ freeBytes: z.number(), totalBytes: z.number() }),
  storedDays: z.object({ events: z.number(), checkpoints: z.number(), archive: z.number() }),
})

/** none: no import was started since the daemon's start. */
export const ImportProgressReply = z.object({
  state: z.enum(['none', 'running', 'done', 'failed']),
  done: z.number(),
  total: z.number(),
  imported: z.number().optional(),
  events: z.number().optional(),
  problem: z.string().optional(),
})
