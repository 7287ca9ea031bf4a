import { closeSync, constants, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { ensurePrivateDir, writeFileAtomic } from './files/atomic-file.ts'
import { getErrorCode } from './base/errno.ts'
import type { Home } from './base/home.ts'

// A full disk has no room for new data, but overwriting allocated bytes needs none. So the file is preallocated
// as lines of equal length: a hook that could not store its event overwrites one of them.

const LINE_BYTES = 128
const LINES = 512
const BLANK = `${' '.repeat(LINE_BYTES - 1)}\n`

type LossHome = Pick<Home, 'lostHooksFile' | 'root'>

export interface LostHook {
  readonly at: string
  readonly harness: string
  readonly hook: string
  /** The harness's session key, if the payload had one. */
  readonly session?: string
}

export interface LostHooks {
  readonly count: number
  readonly since: string
  readonly until: string
  readonly sessions: readonly string[]
}

/** Creates the file if it is missing. Throws when the disk is full. */
export function prepareLostHooks({ lostHooksFile, root }: LossHome): void {
  if (existsSync(lostHooksFile)) return
  ensurePrivateDir(dirname(lostHooksFile), root)
  writeFileAtomic(lostHooksFile, BLANK.repeat(LINES))
}

/** Keeps only characters that cannot break the line format. */
function word(text: string, maxChars: number): string {
  return text.replace(/[^\w.:-]/g, '_').slice(0, maxChars)
}

function formatLine({ at, harness, hook, session = '' }: LostHook): string {
  const words = [word(at, 24), word(harness, 16), word(hook, 30), word(session, 50)]
  return `${words
    .join(' ')
    .trimEnd()
    .padEnd(LINE_BYTES - 1)}\n`
}

function parseLine(line: string): LostHook | undefined {
  const [at = '', harness, hook, session] = line.trim().split(' ')
  if (harness === undefined || hook === undefined || Number.isNaN(Date.parse(at))) return undefined
  return { at, harness, hook, session }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return ''
    throw thrown
  }
}

/** The lines by index, without empty ones. */
function readLines(path: string): ReadonlyMap<number, LostHook> {
  const text = readText(path)
  const found = new Map<number, LostHook>()
  for (let index = 0; index < LINES; index += 1) {
    const lost = parseLine(text.slice(index * LINE_BYTES, (index + 1) * LINE_BYTES))
    if (lost !== undefined) found.set(index, lost)
  }
  return found
}

function writeLines(path: string, lines: ReadonlyMap<number, string>): void {
  const fd = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    for (const [index, line] of lines) writeSync(fd, line, index * LINE_BYTES, 'latin1')
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Records an event that could not be stored. Throws when that fails too; past 512, no more are recorded. */
export function recordLostHook({ lostHooksFile }: LossHome, lost: LostHook): void {
  const taken = readLines(lostHooksFile)
  // Concurrent hooks start at different indexes, so that none overwrites another's line.
  for (let tries = 0; tries < LINES; tries += 1) {
    const index = (process.pid + tries) % LINES
    if (taken.has(index)) continue
    writeLines(lostHooksFile, new Map([[index, formatLine(lost)]]))
    return
  }
}

function summarize(lost: readonly LostHook[]): LostHooks | undefined {
  const times = lost.map(({ at }) => at).toSorted()
  const [since, until] = [times[0], times.at(-1)]
  if (since === undefined || until === undefined) return undefined
  return {
    count: lost.length,
    since,
    until,
    sessions: [...new Set(lost.flatMap(({ session }) => (session === undefined ? [] : [session])))],
  }
}

/** Undefined when no hook was lost. */
export function readLostHooks({ lostHooksFile }: LossHome): LostHooks | undefined {
  return summarize([...readLines(lostHooksFile).values()])
}

/** Clears what was read and reported; later entries stay. */
export function clearLostHooks({ lostHooksFile }: LossHome, until: string): void {
  const reported = [...readLines(lostHooksFile)].filter(([, { at }]) => at <= until)
  writeLines(lostHooksFile, new Map(reported.map(([index]) => [index, BLANK])))
}

/** The name of the file that still reports a loss after a session was informed of it. */
export function formatReportName({ count, since, until }: Omit<LostHooks, 'sessions'>): string {
  return `lost-hooks-${count}-${Date.parse(since)}-${Date.parse(until)}.json`
}

/** Undefined for another file. */
export function parseReportName(name: string): Omit<LostHooks, 'sessions'> | undefined {
  const [, count, since, until] = /^lost-hooks-(\d{1,9})-(\d{1,15})-(\d{1,15})\.json$/.exec(name) ?? []
  if (count === undefined) return undefined
  const readTime = (ms: string | undefined) => new Date(Number(ms)).toISOString()
  return { count: Number(count), since: readTime(since), until: readTime(until) }
}

/** The session key in a payload, under the names that harnesses use. */
export function findSessionKey(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined
  const named: Readonly<Record<string, unknown>> = { ...payload }
  return ['session_id', 'sessionId', 'conversation_id', 'thread_id', 'trajectory_id']
    .map((name) => named[name])
    .find((value): value is string => typeof value === 'string' && value !== '')
}
