import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import type { Background } from '../process/background.ts'
import { createIndexRefresh, hasPair, type IndexRefreshPorts, isMachineBusy } from './index-refresh.ts'
import { createIdleWatch, type IdleWatch } from '../process/lifecycle.ts'
import { getErrorMessage } from '../../kernel/errors.ts'

interface ScheduledTask {
  readonly name: string
  readonly everyMs: number
  run(): Promise<unknown>
}

interface Schedule {
  /** Runs the due tasks one after the other; does nothing while an earlier round is still running. */
  tick(): Promise<void>
  start(everyMs: number): void
  /** Starts no new round; resolves when the current one ends. */
  stop(): Promise<void>
}

/** A task is first due one period after the start. A failed task is logged and runs again when it is next due. */
export function createSchedule(tasks: readonly ScheduledTask[], clock: Clock, log: Log): Schedule {
  const dueMs = new Map(tasks.map((task) => [task, clock.monotonicMs() + task.everyMs]))
  let round: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  async function runDue(): Promise<void> {
    for (const task of tasks) {
      if (isStopped || clock.monotonicMs() < (dueMs.get(task) ?? 0)) continue
      try {
        await task.run()
      } catch (error) {
        log.error('scheduled task failed', { task: task.name, error: getErrorMessage(error) })
      }
      dueMs.set(task, clock.monotonicMs() + task.everyMs)
    }
  }

  return {
    async tick() {
      if (round !== undefined || isStopped) return
      round = runDue()
      await round
      round = undefined
    },
    start(everyMs) {
      timer = setInterval(() => void this.tick(), everyMs)
      timer.unref()
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await round
    },
  }
}

const SESSION_TICK_MS = 15_000
const SPOOL_SWEEP_MS = 5_000
const IDLE_CHECK_MS = 30_000
const PROGRAM_CHECK_MS = 60_000
const INDEX_CHECK_MS = 60_000
const OUTBOX_MS = 30_000
const EXCHANGE_CHECK_MS = 5_000
const RESERVE_SPACE_MS = 60_000
const RECENT_SESSIONS = 50

export type IndexRefreshOptions = Pick<IndexRefreshPorts, 'refresh' | 'getRefreshMs'>

interface HousekeepingPorts {
  readonly continuity: Pick<ContinuityApp, 'tick' | 'liveSessions' | 'listSessions'>
  readonly sweepSpool: () => Promise<void>
  /** Reserves disk space unless that was done. */
  readonly prepareForFullDisk: () => Promise<void>
  /** Open event streams; each counts as use. */
  readonly streams: () => number
  readonly idleExitMs: number
  readonly clock: Clock
  readonly log: Log
  readonly onIdle: () => void
  /** Called before every round, because the tasks write to the home. */
  readonly requireHome: () => void
  /** Whether the program on the disk is still the one that runs. */
  readonly isCurrent: () => boolean
  readonly onReplaced: () => void
  readonly background: Background
  /** Absent: indexes are not refreshed. */
  readonly indexRefresh?: IndexRefreshOptions
  /** Sends the outbox events of the tasks in these checkouts. Absent: nothing is sent. */
  readonly deliverEvents?: (roots: readonly string[]) => Promise<void>
  /** Starts the exchanges with other machines that are due; they run in the background. */
  readonly exchange?: () => Promise<void>
}

export interface HousekeepingJobs {
  readonly schedule: Schedule
  readonly idle: IdleWatch
  /** As last counted. */
  readonly liveSessions: number
  countLive(): Promise<number>
  /** Time-triggered checkpoints, orphans, pruning. */
  readonly attendSessions: () => Promise<void>
  /** Stops a running index refresh. */
  stopIndexRefresh(): void
}

/** The daemon's scheduled work: time-triggered checkpoints, orphans, pruning, the spool, and the idle exit. */
export function createHousekeeping(ports: HousekeepingPorts): HousekeepingJobs {
  const { continuity, clock, log } = ports
  let liveSessions = 0

  async function countLive(): Promise<number> {
    liveSessions = await continuity.liveSessions()
    return liveSessions
  }

  async function attendSessions(): Promise<void> {
    await continuity.tick()
    await countLive()
  }

  const idle = createIdleWatch(clock, ports.idleExitMs, async () => ports.streams() > 0 || (await countLive()) > 0)
  /** Worktrees of recent sessions. */
  async function recentRoots(): Promise<readonly string[]> {
    const sessions = await continuity.listSessions({ limit: RECENT_SESSIONS })
    return [...new Set(sessions.flatMap(({ place }) => (place === undefined ? [] : [place.worktree])))]
  }

  const indexRefresh =
    ports.indexRefresh &&
    createIndexRefresh({
      ...ports.indexRefresh,
      roots: recentRoots,
      hasPair,
      quietMs: () => idle.quietMs(),
      isMachineBusy,
      clock,
    })

  /** Not awaited, so that it does not delay the session tasks. */
  function refreshIndexes(): void {
    if (indexRefresh !== undefined) ports.background.follow('refreshing an index', indexRefresh.run())
  }

  function deliverEvents(): void {
    if (ports.deliverEvents !== undefined)
      ports.background.follow('sending events', recentRoots().then(ports.deliverEvents))
  }

  const schedule = createSchedule(
    [
      { name: 'home', everyMs: 0, run: async () => ports.requireHome() },
      { name: 'spool', everyMs: SPOOL_SWEEP_MS, run: ports.sweepSpool },
      {
        name: 'sessions',
        everyMs: SESSION_TICK_MS,
        run: attendSessions,
      },
      {
        name: 'idle',
        everyMs: Math.min(IDLE_CHECK_MS, ports.idleExitMs),
        run: async () => {
          if (await idle.isOver()) ports.onIdle()
        },
      },
      {
        name: 'program',
        everyMs: PROGRAM_CHECK_MS,
        run: async () => {
          if (!ports.isCurrent()) ports.onReplaced()
        },
      },
      { name: 'index', everyMs: INDEX_CHECK_MS, run: async () => refreshIndexes() },
      { name: 'reserved space', everyMs: RESERVE_SPACE_MS, run: ports.prepareForFullDisk },
      { name: 'exchanges', everyMs: EXCHANGE_CHECK_MS, run: async () => await ports.exchange?.() },
      { name: 'outbox', everyMs: OUTBOX_MS, run: async () => deliverEvents() },
    ],
    clock,
    log,
  )
  return {
    countLive,
    attendSessions,
    stopIndexRefresh: () => indexRefresh?.stop(),
    schedule,
    idle,
    get liveSessions() {
      return liveSessions
    },
  }
}
