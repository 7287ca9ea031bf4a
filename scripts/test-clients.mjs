// npm run test:clients: the real harness clients against a scripted model. Extra words go to vitest.
import { closingLine, exitCodeOf, runVitest } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  const counts = await runVitest({ config: 'vitest.slow.config.ts', args: ['test/clients/', ...process.argv.slice(2)] })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
