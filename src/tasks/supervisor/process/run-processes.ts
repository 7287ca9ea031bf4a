import { listProcesses, type ProcessRow } from './process-table.ts'
import { markedFor } from './run-mark.ts'

export interface KnownProcess {
  readonly pid: number
  readonly startedAt: string
}

export interface BelongingsOptions {
  readonly runId: string
  /** Never ours whatever it looks like: ourselves and the guardian. */
  readonly except: () => readonly number[]
  readonly list?: () => readonly ProcessRow[]
  readonly markOf?: (pid: number, runId: string) => 'this' | 'none' | undefined
}

/**
 * The processes of one run: those that carry its mark, those in a session or group that it started, and children of any
 * of them. What was seen once stays known by number and start time, so that a process that let go of its parent, its
 * session and its environment is still found if it was looked at before.
 */
export class Belongings {
  readonly #options: BelongingsOptions
  readonly #known = new Map<number, string>()
  /** Leaders of sessions that we started. */
  readonly #leaders = new Map<number, string>()

  constructor(options: BelongingsOptions) {
    this.#options = options
  }

  /** A process that we started as the leader of a session of its own. */
  addLeader({ pid, startedAt }: KnownProcess): void {
    this.#leaders.set(pid, startedAt)
    this.#known.set(pid, startedAt)
  }

  /** A process that somebody else saw to be ours. */
  addKnown({ pid, startedAt }: KnownProcess): void {
    this.#known.set(pid, startedAt)
  }

  /** What runs now. */
  look(): readonly ProcessRow[] {
    const { runId, except, list = listProcesses, markOf = markedFor } = this.#options
    const spared = new Set(except())
    const rows = list().filter(({ pid }) => !spared.has(pid))
    const byPid = new Map(rows.map((row) => [row.pid, row]))
    const isLedBy = (leader: number) => {
      const startedAt = this.#leaders.get(leader)
      // A number is not given again while a session or group has it, so a leader that is gone cannot be confused.
      return startedAt !== undefined && (byPid.get(leader)?.startedAt ?? startedAt) === startedAt
    }
    const ours = new Map<number, ProcessRow>()
    const foreign = new Set<number>()
    for (const row of rows) {
      const mark = markOf(row.pid, runId)
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
