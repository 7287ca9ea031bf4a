import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports.ts'

export interface Task {
  readonly name: string
  readonly everyMs: number
  run(): Promise<unknown>
}

export interface Schedule {
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
