import type { TestResult } from '../kernel/checkpoint.ts'
import { settlesCommand } from '../kernel/shell/whole-suite.ts'

export interface FailingRun {
  readonly command: string
  /** The runner's totals: `11 passed, 1 failed`. */
  readonly totals?: string
  readonly names: readonly string[]
}

/** Whether a newer passing run includes everything that the failing run was about. */
function isOvertaken(run: TestResult, tests: readonly TestResult[]): boolean {
  return tests.some(
    (other) =>
      other.status === 'passing' && other.lastOrder > run.lastOrder && settlesCommand(other.command, run.command),
  )
}

const TOTALS = /^\d+ (?:passed|failed|pending)(?:, \d+ (?:failed|pending))*$/

/** The newest first, without those that a newer passing run has superseded. */
export function findFailingRuns(tests: readonly TestResult[]): readonly FailingRun[] {
  const red = tests.filter((test) => test.status === 'failing' && !isOvertaken(test, tests))
  const commands = [...new Set(red.toSorted((a, b) => b.lastOrder - a.lastOrder).map((test) => test.command))]
  return commands.map((command) => {
    const listed = red.filter((test) => test.command === command && test.name !== command).map((test) => test.name)
    return {
      command,
      totals: listed.find((name) => TOTALS.test(name)),
      names: listed.filter((name) => !TOTALS.test(name)),
    }
  })
}
