import { listProcesses, type ProcessRow, findProcess } from './process-table.ts'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../kernel/ports/ports.ts'
import { getErrorCode } from '../../../platform/base/errno.ts'

export interface EndOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Between SIGTERM and SIGKILL. 0 kills at once. */
  readonly graceMs: number
  /** Repeats SIGKILL for this long while new processes appear. Default: 5 seconds. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 5_000
const PAUSE_MS = 20

function signal(row: ProcessRow, name: NodeJS.Signals): void {
  // The pid may belong to another process by now.
  if (findProcess(row.pid)?.startedAt !== row.startedAt) return
  try {
    process.kill(row.pid, name)
  } catch (thrown) {
    // Ended meanwhile, or another user's. What is left is reported.
    if (getErrorCode(thrown) !== 'ESRCH' && getErrorCode(thrown) !== 'EPERM') throw thrown
  }
}

/** Ends all processes of the run: SIGTERM, then SIGKILL until none is left. Returns those that did not end. */
export async function endProcesses(processes: RunProcesses, options: EndOptions): Promise<readonly ProcessRow[]> {
  const { clock, graceMs } = options
  let left = processes.list()
  if (left.length === 0) return []
  if (graceMs > 0) {
    const untilMs = clock.monotonicMs() + graceMs
    for (const row of left) signal(row, 'SIGTERM')
    while (left.length > 0 && clock.monotonicMs() < untilMs) {
      await sleep(PAUSE_MS)
      left = processes.list()
    }
  }
  const untilMs = clock.monotonicMs() + (options.patienceMs ?? PATIENCE_MS)
  while (left.length > 0 && clock.monotonicMs() < untilMs) {
    for (const row of left) signal(row, 'SIGKILL')
    await sleep(PAUSE_MS)
    left = processes.list()
  }
  return left
}

/**
 * Set in the environment of everything a run starts. Children inherit it in any session or group, so that a detached process
 * is still found. An empty value means: not part of a run, though started from one.
 */
export const RUN_MARK = 'HOLDFAST_RUN_ID'

const SEPARATOR = ':'

/** A run inside a run has both marks, so that the outer run also ends the inner run's processes. */
export function joinMarks(outer: string | undefined, runId: string): string {
  return outer === undefined || outer === '' ? runId : `${outer}${SEPARATOR}${runId}`
}

function findEnvValue(environ: Buffer, name: string): string | undefined {
  const wanted = `${name}=`
  const entry = environ
    .toString('latin1')
    .split('\0')
    .find((line) => line.startsWith(wanted))
  return entry?.slice(wanted.length)
}

/** Whether a process is marked for this run, marked as `none`, or not marked. Linux only. */
export function readRunMark(pid: number, runId: string): 'this' | 'none' | undefined {
  try {
    const value = findEnvValue(readFileSync(`/proc/${pid}/environ`), RUN_MARK)
    if (value === '') return 'none'
    return value?.split(SEPARATOR).includes(runId) === true ? 'this' : undefined
  } catch {
    // It has ended, there is no /proc, or it may not be read.
    return undefined
  }
}

export interface GuardianLine extends KnownProcess {
  readonly kind: 'leader' | 'known'
}

export function writeGuardianLine({ kind, pid, startedAt }: GuardianLine): string {
  return `${kind} ${pid} ${startedAt}\n`
}

/** Complete lines, and the incomplete rest. Skips invalid lines. */
export function readGuardianLines(text: string): { readonly lines: readonly GuardianLine[]; readonly rest: string } {
  const parts = text.split('\n')
  const rest = parts.pop() ?? ''
  const lines = parts.flatMap((line): GuardianLine[] => {
    const match = /^(leader|known) (\d{1,10}) (.+)$/.exec(line)
    if (match === null) return []
    const [, kind, pid, startedAt = ''] = match
    return [{ kind: kind === 'leader' ? 'leader' : 'known', pid: Number(pid), startedAt }]
  })
  return { lines, rest }
}

export interface KnownProcess {
  readonly pid: number
  readonly startedAt: string
}

export interface RunProcessesOptions {
  readonly runId: string
  /** Never part of the run: the supervisor and the guardian. */
  readonly except: () => readonly number[]
  readonly list?: () => readonly ProcessRow[]
  readonly readMark?: (pid: number, runId: string) => 'this' | 'none' | undefined
}

/**
 * The processes of one run: those with its mark, those in a session or group that it started, and their children. A process
 * seen once stays known by pid and start time, so that it is found even after it left parent, session and environment.
 */
export class RunProcesses {
  readonly #options: RunProcessesOptions
  readonly #known = new Map<number, string>()
  /** Session leaders that the run started. */
  readonly #leaders = new Map<number, string>()

  constructor(options: RunProcessesOptions) {
    this.#options = options
  }

  /** A process started as the leader of its own session. */
  addLeader({ pid, startedAt }: KnownProcess): void {
    this.#leaders.set(pid, startedAt)
    this.#known.set(pid, startedAt)
  }

  /** A process that another observer found to be part of the run. */
  addKnown({ pid, startedAt }: KnownProcess): void {
    this.#known.set(pid, startedAt)
  }

  /** What runs now. */
  list(): readonly ProcessRow[] {
    const { runId, except, list = listProcesses, readMark = readRunMark } = this.#options
    const excluded = new Set(except())
    const rows = list().filter(({ pid }) => !excluded.has(pid))
    const byPid = new Map(rows.map((row) => [row.pid, row]))
    const isLedBy = (leader: number) => {
      const startedAt = this.#leaders.get(leader)
      // A pid is not reused while a session or group has it, so an ended leader is not ambiguous.
      return startedAt !== undefined && (byPid.get(leader)?.startedAt ?? startedAt) === startedAt
    }
    const ours = new Map<number, ProcessRow>()
    const foreign = new Set<number>()
    for (const row of rows) {
      const mark = readMark(row.pid, runId)
      if (mark === 'none') foreign.add(row.pid)
      else if (
        mark === 'this' ||
        this.#known.get(row.pid) === row.startedAt ||
        isLedBy(row.session) ||
        isLedBy(row.group)
      )
        ours.set(row.pid, row)
    }
    this.#addChildren(ours, rows, foreign)
    this.#known.clear()
    for (const [pid, { startedAt }] of ours) this.#known.set(pid, startedAt)
    return [...ours.values()]
  }

  #addChildren(ours: Map<number, ProcessRow>, rows: readonly ProcessRow[], foreign: ReadonlySet<number>): void {
    for (let grew = true; grew; ) {
      grew = false
      for (const row of rows) {
        if (ours.has(row.pid) || foreign.has(row.pid) || !ours.has(row.parent)) continue
        ours.set(row.pid, row)
        grew = true
      }
    }
  }
}
