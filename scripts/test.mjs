// npm test: sets up what is missing, runs the suite, ends with `N passed, N failed`. Extra words go to vitest; without any, test/seeds is left to `npm run test:seeds`.
import { closingLine, exitCodeOf, runVitest } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  const words = process.argv.slice(2)
  const counts = await runVitest({ args: words.length > 0 ? words : ['--exclude', 'test/seeds/**'] })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
