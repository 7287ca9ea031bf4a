// npm run test:faults: kill -9, full disk, read-only home: what must survive. Extra words go to vitest.
import { closingLine, exitCodeOf, runVitest } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  const counts = await runVitest({ config: 'vitest.slow.config.ts', args: ['test/faults/', ...process.argv.slice(2)] })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
