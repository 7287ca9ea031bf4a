// node scripts/screenshots.mjs: draws docs/images/*.png from demo data, with the Chromium that is installed.
// `--all <folder>` draws every page there, light and dark, at desktop and phone width.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { createDemo } from '../test/browser/support/demo-data.mjs'
import { findBrowser, LAUNCH_ARGS } from '../test/browser/support/browser.mjs'
import { serveFixture } from '../test/browser/support/fixture-server.mjs'
import { root } from './sources.mjs'

const PAGES = [
  ['now', ''],
  ['start', 'start'],
  ['injections', 'injections'],
  ['injection', 'injections?entry=500'],
  ['outcomes', 'outcomes'],
  ['sessions', 'sessions'],
  ['session', 'sessions/7f3a91c2-checkout?event=871'],
  ['lineage', 'lineage'],
  ['checkpoints', 'checkpoints'],
  ['checkpoint', 'checkpoints/cp-0'],
  ['compare', 'checkpoints/compare?from=cp-2&to=cp-0'],
  ['search', 'search?q=retries+worker'],
  ['memories', 'memories'],
  ['memory', 'memories/m-0'],
  ['review', 'memories/review'],
  ['rules', 'memories/rules'],
  ['tasks', 'tasks'],
  ['privacy', 'privacy'],
  ['health', 'health'],
  ['cost', 'cost'],
  ['first-run', 'first-run'],
  ['team', 'team'],
]
const PUBLISHED = new Set(['now', 'start', 'injections', 'outcomes', 'session', 'privacy'])

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string' } } })
const executablePath = findBrowser()
if (executablePath === undefined) throw new Error('No Chromium was found. Install it with `apt-get install chromium`.')
const server = await serveFixture(root, createDemo({ now: Date.now() }))
const browser = await chromium.launch({ executablePath, args: LAUNCH_ARGS })
try {
  const folder = values.all ?? join(root, 'docs/images')
  mkdirSync(folder, { recursive: true })
  const looks =
    values.all === undefined
      ? [{ name: '', colorScheme: 'light', viewport: { width: 1180, height: 760 } }]
      : [
          { name: '-light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
          { name: '-dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
          { name: '-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
        ]
  for (const { name: suffix, ...look } of looks) {
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce' })
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && console.error(message.text()))
    page.on('pageerror', (error) => console.error(error.stack))
    for (const [name, path] of PAGES) {
      if (values.all === undefined ? !PUBLISHED.has(name) : values.only !== undefined && values.only !== name) continue
      await page.goto(`${server.url}/${path}`)
      await page.waitForSelector('main h1')
      await page.waitForTimeout(400)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > look.viewport.width) console.error(`${name}${suffix}: ${width} pixels wide`)
      await page.screenshot({
        path: join(folder, `dashboard-${name}${suffix}.png`),
        fullPage: values.all !== undefined,
      })
    }
    await context.close()
  }
} finally {
  await browser.close()
  server.close()
}
