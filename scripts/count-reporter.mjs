// Given to vitest beside its own reporter: leaves the counts where run-vitest.mjs reads them after vitest has ended,
// so that nothing can be printed after the closing line.
import { writeFileSync } from 'node:fs'

export default class CountReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0, errors: unhandledErrors.length }
    for (const testModule of testModules) {
      // A file that does not load, or a suite whose set-up failed: its tests never ran, and no other reporter shows that.
      const broken = [testModule, ...testModule.children.allSuites()].filter((part) => part.errors().length > 0)
      counts.errors += broken.length
      for (const test of testModule.children.allTests()) {
        const { state } = test.result()
        counts[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1
      }
    }
    writeFileSync(process.env.HOLDFAST_TEST_COUNTS, JSON.stringify(counts))
  }
}
