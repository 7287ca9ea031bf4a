import type { RitualStep, RitualStepName } from '../rituals.ts'
import type { OpenTask } from '../files/open-task.ts'
import { addLogLine } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'

/** Records what a ritual does: times each step and logs each line. */
export interface RitualRecord {
  readonly steps: readonly RitualStep[]
  readonly lines: readonly string[]
  addLine(line: string): Promise<void>
  /** Runs a step that returns its result and a short description of it. */
  step<T>(name: RitualStepName, run: () => Promise<readonly [T, string]>): Promise<T>
}

export interface RitualRecordOptions {
  readonly task: OpenTask
  readonly sessionId: string
  readonly onLine?: ((line: string) => void) | undefined
}

export function createRitualRecord(
  ports: Pick<TaskPorts, 'clock'>,
  { task, sessionId, onLine }: RitualRecordOptions,
): RitualRecord {
  const steps: RitualStep[] = []
  const lines: string[] = []
  return {
    steps,
    lines,
    async addLine(line) {
      const clean = task.folder.redactor.redact(line).replace(/\s+/g, ' ').trim()
      lines.push(clean)
      onLine?.(clean)
      await addLogLine(ports, task, sessionId, clean)
    },
    async step(name, run) {
      const startedMs = ports.clock.monotonicMs()
      const [result, detail] = await run()
      const durationMs = Math.round(ports.clock.monotonicMs() - startedMs)
      steps.push({ name, durationMs, detail: task.folder.redactor.redact(detail) })
      return result
    },
  }
}
