// npm run test:browser: the dashboard in a real Chromium. Words name files of it; options go to vitest.
// In CI a missing Chromium is installed from Debian; elsewhere the suite is skipped with a message.
import { spawnSync } from 'node:child_process'
import { findBrowser } from '../test/browser/support/browser.mjs'
import { closingLine, exitCodeOf, runVitest, within } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

function installBrowser() {
  const run = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
  return run('update', '-qq') && run('install', '-y', '-qq', '--no-install-recommends', 'chromium')
}

await main(async () => {
  ensureInstalled()
  if (findBrowser() === undefined && process.env.CI === 'true') installBrowser()
  if (findBrowser() === undefined) {
    console.log('No Chromium was found: install it with `apt-get install chromium`, or name it in HOLDFAST_BROWSER.')
    const isFailure = process.env.CI === 'true'
    console.log(isFailure ? '0 passed, 1 failed' : '0 passed, 0 failed, 1 skipped')
    return isFailure ? 1 : 0
  }
  ensureBuilt()
  const counts = await runVitest({
    config: 'vitest.slow.config.ts',
    args: within('test/browser/', process.argv.slice(2)),
  })
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
