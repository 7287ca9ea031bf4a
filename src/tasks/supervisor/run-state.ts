import type { LastAttempt } from '../retry/attempt-note.ts'
import type { EscalatedAttempt } from '../retry/escalation.ts'
import { failuresAtStep, type Lap } from '../retry/progress.ts'
import type { SessionReport } from './run-report.ts'

/** What a run knows about itself while it goes on. */
export class RunState {
  readonly start: Pick<Lap, 'tree' | 'position'>
  readonly laps: Lap[] = []
  readonly sessions: SessionReport[] = []
  readonly attempts: EscalatedAttempt[] = []
  /** Failures at the first step that a run before this one left behind when it was killed. */
  readonly #carried: number
  last: LastAttempt | undefined
  limitScale = 1
  tokens: number | undefined

  constructor(start: Pick<Lap, 'tree' | 'position'>, carried: number) {
    this.start = start
    this.#carried = carried
  }

  get failuresInRun(): number {
    return this.laps.filter(({ failure }) => failure !== undefined).length
  }

  /** Failures in a row at the step where the last session ended. */
  get failuresAtStep(): number {
    const counted = failuresAtStep(this.laps)
    const isStillFirst = counted === this.laps.length && (this.laps.at(-1)?.position ?? '') === this.start.position
    return counted + (isStillFirst ? this.#carried : 0)
  }

  /** What the next session is: the first try at its step, or a further one. */
  get nextAttempt(): number {
    return this.last === undefined ? 1 : this.failuresAtStep + 1
  }
}
