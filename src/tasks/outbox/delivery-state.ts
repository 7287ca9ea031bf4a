import { closeSync, constants, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { realDurableFs, writeFileAtomic } from '../../platform/files/atomic-file.ts'

/** Delivery state of one task's outbox. */
export interface DeliveryState {
  /** By id, not by position, because a merge may insert lines. */
  readonly delivered: readonly string[]
  /** Consecutive failures of the next event. */
  readonly failures: number
  /** Earliest time of the next attempt. */
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

/** Appends one line per sent event since the last full write, so that the cost per event is constant. */
function sentFile(file: string): string {
  return `${file}.sent`
}

function readWhole(file: string): DeliveryState {
  try {
    const { version: _, ...state } = State.parse(JSON.parse(readFileSync(file, 'utf8')))
    return state
  } catch {
    return NOTHING_SENT
  }
}

/** Ignores an incomplete last line; its event is sent again. */
function readSent(file: string): readonly string[] {
  if (!existsSync(sentFile(file))) return []
  return readFileSync(sentFile(file), 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => z.string().safeParse(parsed(line)).data ?? [])
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** An unreadable or lost state means sending again: delivery is at least once. */
export function readDeliveryState(file: string): DeliveryState {
  const whole = readWhole(file)
  const known = new Set(whole.delivered)
  const since = readSent(file).filter((id) => !known.has(id))
  return since.length === 0 ? whole : { delivered: [...whole.delivered, ...since], failures: 0 }
}

/** Whether a process was killed before a full write. */
export function hasUnmergedSends(file: string): boolean {
  return existsSync(sentFile(file))
}

/** Durable on return: after a crash only the event in flight is sent again. */
export function appendSent(file: string, id: string): void {
  const path = sentFile(file)
  const isNew = !existsSync(path)
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const fd = openSync(path, flags, 0o600)
  try {
    const line = Buffer.from(`${JSON.stringify(id)}\n`)
    for (let written = 0; written < line.length; ) written += writeSync(fd, line, written)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  if (isNew) realDurableFs.fsyncDir(dirname(path))
}

/** Writes the full state, durable on return, and removes the appended lines that it includes. */
export function writeDeliveryState(file: string, state: DeliveryState): void {
  writeFileAtomic(file, `${JSON.stringify({ version: 1, ...state })}\n`)
  rmSync(sentFile(file), { force: true })
}
