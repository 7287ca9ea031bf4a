// npm test: sets up what is missing, runs the suite, ends with `N passed, N failed`. Extra words go to vitest.
import { closingLine, exitCodeOf, runVitest } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  const counts = await runVitest({ args: process.argv.slice(2) })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
