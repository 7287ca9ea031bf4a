// npm run test:faults: kill -9, full disk, read-only home, shared stores, hostile repositories: the proofs that take minutes. Words name files of it; options go to vitest.
import { closingLine, exitCodeOf, runVitest, within } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  const counts = await runVitest({
    config: 'vitest.slow.config.ts',
    args: within('test/faults/', process.argv.slice(2)),
  })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
