import type { TestResult } from '../../kernel/checkpoint.ts'
import { covers } from '../../kernel/shell/covers.ts'

/** A run of tests that failed when it last ran. */
export interface RedRun {
  readonly command: string
  /** What the runner counted: `11 passed, 1 failed`. */
  readonly totals?: string
  /** The tests that it named. */
  readonly names: readonly string[]
}

/** A newer green run has overtaken a red one when it left out nothing that the red one was about. */
function isOvertaken(run: TestResult, tests: readonly TestResult[]): boolean {
  return tests.some(
    (other) => other.status === 'passing' && other.lastOrder > run.lastOrder && covers(other.command, run.command),
  )
}

const TOTALS = /^\d+ (?:passed|failed|pending)(?:, \d+ (?:failed|pending))*$/

/** The newest first, without those that a newer green run has overtaken. */
export function redRunsIn(tests: readonly TestResult[]): readonly RedRun[] {
  const red = tests.filter((test) => test.status === 'failing' && !isOvertaken(test, tests))
  const commands = [...new Set(red.toSorted((a, b) => b.lastOrder - a.lastOrder).map((test) => test.command))]
  return commands.map((command) => {
    const told = red.filter((test) => test.command === command && test.name !== command).map((test) => test.name)
    return { command, totals: told.find((name) => TOTALS.test(name)), names: told.filter((name) => !TOTALS.test(name)) }
  })
}
