import { closeSync, constants, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { realDurableFs, writeFileAtomic } from '../../platform/files/atomic-file.ts'

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

/** What was sent since the state was written whole, a line each: a burst costs the same for its last event as for its first. */
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

/** A last line that was cut short is none: its event goes out again. */
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

/** Unreadable or lost means sending again: at least once, never less. */
export function readDeliveryState(file: string): DeliveryState {
  const whole = readWhole(file)
  const known = new Set(whole.delivered)
  const since = readSent(file).filter((id) => !known.has(id))
  return since.length === 0 ? whole : { delivered: [...whole.delivered, ...since], failures: 0 }
}

/** Whether somebody was killed in the middle of a burst. */
export function hasLooseEnds(file: string): boolean {
  return existsSync(sentFile(file))
}

/** Durable when it returns: what was sent is not sent again after a crash, except the one that was on its way. */
export function noteSent(file: string, id: string): void {
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

/** The whole of it, durable when it returns. What was noted line by line is in it, and goes. */
export function writeDeliveryState(file: string, state: DeliveryState): void {
  writeFileAtomic(file, `${JSON.stringify({ version: 1, ...state })}\n`)
  rmSync(sentFile(file), { force: true })
}
