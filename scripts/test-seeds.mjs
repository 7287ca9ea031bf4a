// npm run test:seeds: one test for each row of the founding documents, on the built product. Words name files of it; options go to vitest.
import { closingLine, exitCodeOf, runVitest, within } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  const counts = await runVitest({
    args: within('test/seeds/', process.argv.slice(2)),
  })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
