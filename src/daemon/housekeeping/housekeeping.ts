import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import type { Background } from '../process/background.ts'
import { createIndexRefresh, hasPair, type IndexRefreshDeps, isMachineBusy } from './index-refresh.ts'
import { createIdleWatch, type IdleWatch } from '../process/lifecycle.ts'
import { messageOf } from '../../kernel/errors.ts'

interface Task {
  readonly name: string
  readonly everyMs: number
  run(): Promise<unknown>
}

interface Schedule {
  /** Runs what is due, one after the other; does nothing while an earlier round is still under way. */
  tick(): Promise<void>
  start(everyMs: number): void
  /** No new round begins; resolves when the one under way is over. */
  stop(): Promise<void>
}

/** A task is first due one period after the start. What fails is logged and tried again at its next turn. */
export function createSchedule(tasks: readonly Task[], clock: Clock, log: Log): Schedule {
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
        log.error('scheduled task failed', { task: task.name, error: messageOf(error) })
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

const ENGINE_TICK_MS = 15_000
const SPOOL_SWEEP_MS = 5_000
const IDLE_LOOK_MS = 30_000
const PROGRAM_LOOK_MS = 60_000
const INDEX_LOOK_MS = 60_000
const OUTBOX_MS = 30_000
const BALLAST_MS = 60_000
const RECENT_SESSIONS = 50

export type IndexRefreshOptions = Pick<IndexRefreshDeps, 'refresh' | 'refreshMsOf'>

interface HousekeepingDeps {
  readonly engine: Pick<ContinuityEngine, 'tick' | 'liveSessions' | 'listSessions'>
  readonly sweepSpool: () => Promise<void>
  /** Sets space aside, where there is none and room for it. */
  readonly prepareForFullDisk: () => Promise<void>
  /** Open event streams: somebody is looking. */
  readonly streams: () => number
  readonly idleExitMs: number
  readonly clock: Clock
  readonly log: Log
  readonly onIdle: () => void
  /** Called before every round: what follows writes at the paths of the home. */
  readonly requireHome: () => void
  /** Whether the program on the disk is still the one that runs. */
  readonly isCurrent: () => boolean
  readonly onReplaced: () => void
  readonly background: Background
  /** Absent: no index is made anew by itself. */
  readonly indexRefresh?: IndexRefreshOptions
  /** Sends what the tasks of these checkouts have told. Absent: nothing is sent. */
  readonly deliverEvents?: (roots: readonly string[]) => Promise<void>
}

export interface Housekeeping {
  readonly schedule: Schedule
  readonly idle: IdleWatch
  /** As last counted. */
  readonly liveSessions: number
  countLive(): Promise<number>
  /** Time-triggered checkpoints, orphans, pruning. */
  readonly attendSessions: () => Promise<void>
  /** Ends what makes an index anew. */
  leaveIndexes(): void
}

/** What the daemon does by itself: time-triggered checkpoints, orphans, pruning, the spool, and leaving when nobody needs it. */
export function createHousekeeping(deps: HousekeepingDeps): Housekeeping {
  const { engine, clock, log } = deps
  let liveSessions = 0

  async function countLive(): Promise<number> {
    liveSessions = await engine.liveSessions()
    return liveSessions
  }

  async function attendSessions(): Promise<void> {
    await engine.tick()
    await countLive()
  }

  const idle = createIdleWatch(clock, deps.idleExitMs, async () => deps.streams() > 0 || (await countLive()) > 0)
  /** Where somebody was at work lately. */
  async function recentRoots(): Promise<readonly string[]> {
    const sessions = await engine.listSessions({ limit: RECENT_SESSIONS })
    return [...new Set(sessions.flatMap(({ place }) => (place === undefined ? [] : [place.worktree])))]
  }

  const indexRefresh =
    deps.indexRefresh &&
    createIndexRefresh({
      ...deps.indexRefresh,
      roots: recentRoots,
      hasPair,
      quietMs: () => idle.quietMs(),
      isMachineBusy,
      clock,
    })

  /** Not waited for: the schedule has sessions to attend to. */
  function refreshIndexes(): void {
    if (indexRefresh !== undefined) deps.background.follow('making an index anew', indexRefresh.run())
  }

  function deliverEvents(): void {
    if (deps.deliverEvents !== undefined)
      deps.background.follow('sending events', recentRoots().then(deps.deliverEvents))
  }

  const schedule = createSchedule(
    [
      { name: 'home', everyMs: 0, run: async () => deps.requireHome() },
      { name: 'spool', everyMs: SPOOL_SWEEP_MS, run: deps.sweepSpool },
      {
        name: 'sessions',
        everyMs: ENGINE_TICK_MS,
        run: attendSessions,
      },
      {
        name: 'idle',
        everyMs: Math.min(IDLE_LOOK_MS, deps.idleExitMs),
        run: async () => {
          if (await idle.isOver()) deps.onIdle()
        },
      },
      {
        name: 'program',
        everyMs: PROGRAM_LOOK_MS,
        run: async () => {
          if (!deps.isCurrent()) deps.onReplaced()
        },
      },
      { name: 'index', everyMs: INDEX_LOOK_MS, run: async () => refreshIndexes() },
      { name: 'ballast', everyMs: BALLAST_MS, run: deps.prepareForFullDisk },
      { name: 'outbox', everyMs: OUTBOX_MS, run: async () => deliverEvents() },
    ],
    clock,
    log,
  )
  return {
    countLive,
    attendSessions,
    leaveIndexes: () => indexRefresh?.stop(),
    schedule,
    idle,
    get liveSessions() {
      return liveSessions
    },
  }
}
