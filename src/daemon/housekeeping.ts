import type { ContinuityEngine } from '../core/continuity/create.ts'
import type { Clock, Log } from '../core/ports.ts'
import { createIdleWatch, type IdleWatch } from './lifecycle.ts'
import { createSchedule, type Schedule } from './schedule.ts'

const ENGINE_TICK_MS = 15_000
const SPOOL_SWEEP_MS = 5_000
const IDLE_LOOK_MS = 30_000
const PROGRAM_LOOK_MS = 60_000
const INDEX_LOOK_MS = 60_000

interface HousekeepingDeps {
  readonly engine: Pick<ContinuityEngine, 'tick' | 'liveSessions'>
  readonly sweepSpool: () => Promise<void>
  /** Open event streams: somebody is looking. */
  readonly streams: () => number
  readonly idleExitMs: number
  readonly clock: Clock
  readonly log: Log
  readonly onIdle: () => void
  /** Whether the program on the disk is still the one that runs. */
  readonly isCurrent: () => boolean
  readonly onReplaced: () => void
  /** Begins to make an index anew that is out of date, and does not wait for it. */
  readonly refreshIndexes: () => void
}

export interface Housekeeping {
  readonly schedule: Schedule
  readonly idle: IdleWatch
  /** As last counted. */
  readonly liveSessions: number
  countLive(): Promise<number>
  /** Time-triggered checkpoints, orphans, pruning. */
  readonly attendSessions: () => Promise<void>
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
  const schedule = createSchedule(
    [
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
      { name: 'index', everyMs: INDEX_LOOK_MS, run: async () => deps.refreshIndexes() },
    ],
    clock,
    log,
  )
  return {
    countLive,
    attendSessions,
    schedule,
    idle,
    get liveSessions() {
      return liveSessions
    },
  }
}
