import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { getErrorMessage } from '../kernel/errors.ts'
import type { Clock, Log } from '../kernel/ports/ports.ts'
import { redactOutput } from '../redaction/redact-input.ts'
import { getErrorCode } from './base/errno.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogOptions {
  readonly file: string
  readonly level: LogLevel
  readonly clock: Clock
  /** Defaults to 10 MB. */
  readonly maxBytes?: number
  /** Rotated files besides the live one; defaults to 4. */
  readonly keep?: number
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }
const MAX_STRING = 500
const MAX_LINE = 4_000

/** Fields are ids, counts and durations; a long string is a mistake and is cut. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return getErrorMessage(value).slice(0, MAX_STRING)
  if (typeof value === 'string' && value.length > MAX_STRING) return `${value.slice(0, MAX_STRING)}…`
  return value
}

/** Replaces errors by their messages and redacts, since a message may hold user input. */
function withoutSecrets(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const said = Object.entries(entry).map(([name, value]) => [
    name,
    value instanceof Error ? getErrorMessage(value) : value,
  ])
  return redactOutput(Object.fromEntries(said))
}

function toJson(given: Readonly<Record<string, unknown>>): string {
  const { at, level, message } = given
  try {
    // Before texts are cut: half a key is not recognized.
    const json = JSON.stringify(withoutSecrets(given), plain)
    return json.length <= MAX_LINE ? json : JSON.stringify({ at, level, message, cutFrom: json.length }, plain)
  } catch (thrown) {
    return JSON.stringify({ at, level, message, unloggable: getErrorMessage(thrown) }, plain)
  }
}

/** One line of JSON: JSON escapes C0, and this escapes the other characters that a terminal or line reader interprets. */
function logLine(entry: Readonly<Record<string, unknown>>): string {
  return toJson(entry).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escapeUnit)
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function rotate(file: string, keep: number): void {
  for (let n = keep; n >= 1; n -= 1) {
    try {
      renameSync(n === 1 ? file : `${file}.${n - 1}`, `${file}.${n}`)
    } catch (thrown) {
      if (getErrorCode(thrown) !== 'ENOENT') throw thrown
    }
  }
}

/** Appends one line, rotating first when the file is full. Opened for each line: hooks and daemon share files, and people delete them. */
function appendLine(file: string, line: string, limits: { maxBytes: number; keep: number }): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  let fd = openSync(file, flags, 0o600)
  try {
    if (fstatSync(fd).size >= limits.maxBytes) {
      closeSync(fd)
      fd = -1
      rotate(file, limits.keep)
      fd = openSync(file, flags, 0o600)
    }
    writeSync(fd, `${line}\n`)
  } finally {
    if (fd !== -1) closeSync(fd)
  }
}

const WINDOW_MS = 60_000
/** Lines per message and window: with a full disk every event logs the same message. */
const PER_WINDOW = 10
const MAX_COMPLAINTS = 200

interface Complaint {
  readonly sinceMs: number
  count: number
}

/** How many of the same message were dropped before this one; undefined when this one is dropped too. */
function createDamper(clock: Clock): (message: string) => number | undefined {
  const complaints = new BoundedMap<string, Complaint>(MAX_COMPLAINTS)
  return (message) => {
    const nowMs = clock.monotonicMs()
    const known = complaints.get(message)
    if (known !== undefined && nowMs - known.sinceMs < WINDOW_MS) {
      known.count += 1
      return known.count <= PER_WINDOW ? 0 : undefined
    }
    complaints.set(message, { sinceMs: nowMs, count: 1 })
    return Math.max(0, (known?.count ?? 0) - PER_WINDOW)
  }
}

const LOG_LIMITS = { maxBytes: 10_000_000, keep: 4 } as const

/** Logging never throws: a full or read-only disk loses the line. */
export function createLog(options: LogOptions): Log {
  const limits = { maxBytes: options.maxBytes ?? LOG_LIMITS.maxBytes, keep: options.keep ?? LOG_LIMITS.keep }
  const leftOut = createDamper(options.clock)
  const write = (level: LogLevel) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (RANK[level] < RANK[options.level]) return
    const alike = RANK[level] >= RANK.warn ? leftOut(message) : 0
    if (alike === undefined) return
    const logged = alike > 0 ? { ...fields, alikeLeftOut: alike } : fields
    try {
      appendLine(options.file, logLine({ at: options.clock.now(), level, message, ...logged }), limits)
    } catch {
      // The log itself failed, so there is nowhere to report it.
    }
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
