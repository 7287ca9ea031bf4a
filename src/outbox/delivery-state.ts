import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writeFileAtomic } from '../platform/atomic-file.ts'

/** What delivery knows about one task's outbox. */
export interface DeliveryState {
  /** By id, not by position: a merge may put lines between those that were sent. */
  readonly delivered: readonly string[]
  /** Failures in a row at the event that comes next. */
  readonly failures: number
  /** Not before this time. */
  readonly notBefore?: string | undefined
  readonly lastFailure?: string | undefined
}

const State = z.object({
  version: z.literal(1),
  delivered: z.array(z.string()),
  failures: z.int().min(0),
  notBefore: z.string().optional(),
  lastFailure: z.string().optional(),
}) satisfies z.ZodType<DeliveryState & { version: 1 }>

const NOTHING_SENT: DeliveryState = { delivered: [], failures: 0 }

/** Unreadable or lost means sending again: at least once, never less. */
export function readDeliveryState(file: string): DeliveryState {
  try {
    const { version: _, ...state } = State.parse(JSON.parse(readFileSync(file, 'utf8')))
    return state
  } catch {
    return NOTHING_SENT
  }
}

/** Durable when it returns: what was sent is not sent again after a crash, except the one that was on its way. */
export function writeDeliveryState(file: string, state: DeliveryState): void {
  writeFileAtomic(file, `${JSON.stringify({ version: 1, ...state })}\n`)
}
