import * as z from 'zod'
import { CheckpointId, EventId, MAX_KEY_CHARS, MemoryId, ProjectId, SessionId, SessionKey } from '../kernel/id.ts'

const MAX_ID_CHARS = 512
const MAX_HARNESS_CHARS = 64
const id = z.string().min(1).max(MAX_ID_CHARS)

export const EventIdSchema = id.transform(EventId)
export const SessionKeySchema = z.string().min(1).max(MAX_KEY_CHARS).transform(SessionKey)
export const SessionIdSchema = z
  .string()
  .min(1)
  .max(MAX_HARNESS_CHARS + 1 + MAX_KEY_CHARS)
  .transform(SessionId)
export const CheckpointIdSchema = id.transform(CheckpointId)
export const MemoryIdSchema = id.transform(MemoryId)
export const ProjectIdSchema = id.transform(ProjectId)
export const HarnessSchema = z.string().min(1).max(MAX_HARNESS_CHARS)

/** A number in a query string; at least 1. */
export const limit = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback)

/** `a,b` in a query string. */
export const commaSeparated = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .min(1)
    .transform((text) => text.split(','))
    .pipe(z.array(item))

export const NoReply = z.object({ ok: z.literal(true) })
