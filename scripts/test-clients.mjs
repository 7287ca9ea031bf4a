// npm run test:clients: the real harness clients against a scripted model. Words name files of it; options go to vitest.
import { closingLine, exitCodeOf, runVitest, within } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main, SetupError } from './setup.mjs'

await main(async () => {
  ensureInstalled()
  ensureBuilt()
  // Imported late: it needs esbuild, which may only just have been installed.
  const { loopbackOnly, prepareClients } = await import('../test/clients/prepare.mjs')
  const cache = await prepareClients(console.log).catch((error) => {
    throw new SetupError([error.message, error.cause?.stderr ?? error.cause ?? ''].join('\n'))
  })
  const prefix = loopbackOnly()
  if (!prefix) console.log('No network namespace can be made here: the clients run with the whole network in reach.')
  const counts = await runVitest({
    config: 'vitest.slow.config.ts',
    args: within('test/clients/', process.argv.slice(2)),
    prefix,
    extraEnv: { HOLDFAST_TEST_CACHE: cache, ...(prefix && { HOLDFAST_TEST_NETWORK: 'loopback' }) },
  })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
