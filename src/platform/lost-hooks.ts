import { closeSync, constants, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { ensurePrivateDir, writeFileAtomic } from './files/atomic-file.ts'
import { errnoOf } from './base/errno.ts'
import type { Home } from './base/home.ts'

// A full disk has room for nothing new, and overwriting bytes that a file has already needs none. So the file is made beforehand,
// as lines of one length: a hook that could keep its event nowhere writes one of them in place.

const LINE_BYTES = 128
const LINES = 512
const BLANK = `${' '.repeat(LINE_BYTES - 1)}\n`

type LossHome = Pick<Home, 'lostHooksFile' | 'root'>

export interface LostHook {
  readonly at: string
  readonly harness: string
  readonly hook: string
  /** The harness's own key of the session, where the payload had one. */
  readonly session?: string
}

export interface LostHooks {
  readonly count: number
  readonly since: string
  readonly until: string
  readonly sessions: readonly string[]
}

/** Makes the file where there is none. Throws when the disk refuses. */
export function prepareLostHooks({ lostHooksFile, root }: LossHome): void {
  if (existsSync(lostHooksFile)) return
  ensurePrivateDir(dirname(lostHooksFile), root)
  writeFileAtomic(lostHooksFile, BLANK.repeat(LINES))
}

/** Of text from outside, only what cannot break a line or be mistaken for anything else. */
function word(text: string, maxChars: number): string {
  return text.replace(/[^\w.:-]/g, '_').slice(0, maxChars)
}

function lineOf({ at, harness, hook, session = '' }: LostHook): string {
  const words = [word(at, 24), word(harness, 16), word(hook, 30), word(session, 50)]
  return `${words
    .join(' ')
    .trimEnd()
    .padEnd(LINE_BYTES - 1)}\n`
}

function parseLine(line: string): LostHook | undefined {
  const [at = '', harness, hook, session] = line.trim().split(' ')
  if (harness === undefined || hook === undefined || Number.isNaN(Date.parse(at))) return undefined
  return { at, harness, hook, ...(session !== undefined && { session }) }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return ''
    throw thrown
  }
}

/** The line at each place, by its index; blank ones are left out. */
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

/** Counts an event that could be kept nowhere. Throws when not even that is possible; past 512, no more are counted. */
export function recordLostHook({ lostHooksFile }: LossHome, lost: LostHook): void {
  const taken = readLines(lostHooksFile)
  // Hooks that run at the same time begin at different places, so that none overwrites the other's line.
  for (let tries = 0; tries < LINES; tries += 1) {
    const index = (process.pid + tries) % LINES
    if (taken.has(index)) continue
    writeLines(lostHooksFile, new Map([[index, lineOf(lost)]]))
    return
  }
}

function summaryOf(lost: readonly LostHook[]): LostHooks | undefined {
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

/** Undefined when none was lost. */
export function readLostHooks({ lostHooksFile }: LossHome): LostHooks | undefined {
  return summaryOf([...readLines(lostHooksFile).values()])
}

/** Once somebody was told: what was read is taken out again, and what came since stays. */
export function clearLostHooks({ lostHooksFile }: LossHome, until: string): void {
  const told = [...readLines(lostHooksFile)].filter(([, { at }]) => at <= until)
  writeLines(lostHooksFile, new Map(told.map(([index]) => [index, BLANK])))
}

/** The name of the file that goes on telling of a loss after a session was told. */
export function toldNameOf({ count, since, until }: Omit<LostHooks, 'sessions'>): string {
  return `lost-hooks-${count}-${Date.parse(since)}-${Date.parse(until)}.json`
}

/** Undefined for any other file. */
export function parseToldName(name: string): Omit<LostHooks, 'sessions'> | undefined {
  const [, count, since, until] = /^lost-hooks-(\d{1,9})-(\d{1,15})-(\d{1,15})\.json$/.exec(name) ?? []
  if (count === undefined) return undefined
  const timeOf = (ms: string | undefined) => new Date(Number(ms)).toISOString()
  return { count: Number(count), since: timeOf(since), until: timeOf(until) }
}

/** Which session a payload speaks of, by the names that harnesses give it. */
export function sessionIn(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined
  const named: Readonly<Record<string, unknown>> = { ...payload }
  return ['session_id', 'sessionId', 'conversation_id', 'thread_id', 'trajectory_id']
    .map((name) => named[name])
    .find((value): value is string => typeof value === 'string' && value !== '')
}
