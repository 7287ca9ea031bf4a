import type { RitualStep, RitualStepName } from '../rituals.ts'
import type { OpenTask } from '../files/open-task.ts'
import { addLogLine } from '../files/session-log.ts'
import type { TaskWorld } from '../files/task-ports.ts'

/** What a ritual did, in its order: each step timed, each line logged as it is said. */
export interface RitualRecord {
  readonly steps: readonly RitualStep[]
  readonly lines: readonly string[]
  say(line: string): Promise<void>
  /** Runs a step; it gives its result, and what came of it in a few words. */
  step<T>(name: RitualStepName, run: () => Promise<readonly [T, string]>): Promise<T>
}

export interface RitualRecordOptions {
  readonly task: OpenTask
  readonly sessionId: string
  readonly onLine?: ((line: string) => void) | undefined
}

export function createRitualRecord(
  world: Pick<TaskWorld, 'clock'>,
  { task, sessionId, onLine }: RitualRecordOptions,
): RitualRecord {
  const steps: RitualStep[] = []
  const lines: string[] = []
  return {
    steps,
    lines,
    async say(line) {
      const clean = task.folder.redactor.redact(line).replace(/\s+/g, ' ').trim()
      lines.push(clean)
      onLine?.(clean)
      await addLogLine(world, task, sessionId, clean)
    },
    async step(name, run) {
      const startedMs = world.clock.monotonicMs()
      const [result, detail] = await run()
      const durationMs = Math.round(world.clock.monotonicMs() - startedMs)
      steps.push({ name, durationMs, detail: task.folder.redactor.redact(detail) })
      return result
    },
  }
}
