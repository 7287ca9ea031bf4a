// Given to vitest beside its own reporter: leaves the counts where run-vitest.mjs reads them after vitest has ended,
// so that nothing can be printed after the closing line.
import { writeFileSync } from 'node:fs'

export default class CountReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0, errors: unhandledErrors.length }
    for (const testModule of testModules) {
      counts.errors += testModule.errors().length
      for (const test of testModule.children.allTests()) {
        const { state } = test.result()
        counts[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1
      }
    }
    writeFileSync(process.env.HOLDFAST_TEST_COUNTS, JSON.stringify(counts))
  }
}
