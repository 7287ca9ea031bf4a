import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { PATIENT, Product, waitUntil } from '../../support/product.ts'
import { findBrowser, LAUNCH_ARGS } from './browser.mjs'
import { fillDemo, playLiveSessions } from './demo-store.ts'
import { importOtherMachine, setDemoRemote } from './other-machine.ts'

const SESSION = '7f3a91c2-live'

const root = process.env['HOLDFAST_ROOT'] ?? process.cwd()
const { values } = parseArgs({
  options: {
    all: { type: 'string' },
    only: { type: 'string' },
    /** Serves the demo until Ctrl-C, for work on a page. */
    serve: { type: 'boolean' },
    empty: { type: 'boolean' },
  },
})

interface Call {
  readonly product: Product
  readonly get: (path: string) => Promise<unknown>
}

/** Addresses of pages whose objects have ids of their own. */
async function findPages({ get }: Call, shop: string) {
  const cwd = `cwd=${encodeURIComponent(shop)}`
  const { heads } = (await get(`/api/checkpoint-heads?limit=100&${cwd}`)) as {
    heads: { id: string; sessionId: string }[]
  }
  const { memories } = (await get(`/api/memories?limit=100&${cwd}`)) as { memories: { id: string; content: string }[] }
  const { ledger } = (await get(`/api/ledger?limit=200&${cwd}`)) as {
    ledger: { entries: { seq: number; lineCount: number }[] }
  }
  const { sessions } = (await get(`/api/sessions?limit=100&${cwd}`)) as {
    sessions: { key: string; harness: string; compactionCount: number; toolCount: number }[]
  }
  const long = sessions.find(({ compactionCount }) => compactionCount > 0) ?? sessions[0]
  const entry = ledger.entries.find(({ lineCount }) => lineCount > 5) ?? ledger.entries[0]
  const memory = memories.find(({ content }) => content.startsWith('The flaky')) ?? memories[0]
  return [
    ['now', ''],
    ['start', `start?${cwd}`],
    ['injections', 'injections'],
    ['injection', `injections?entry=${entry?.seq}`],
    ['outcomes', `outcomes?${cwd}`],
    ['sessions', 'sessions'],
    ['session', `sessions/${long?.key ?? SESSION}?harness=${long?.harness}`],
    ['lineage', `lineage?${cwd}`],
    ['checkpoints', 'checkpoints'],
    ['checkpoint', `checkpoints/${heads[2]?.id}`],
    ['compare', `checkpoints/compare?from=${heads[4]?.id}&to=${heads[2]?.id}`],
    ['search', 'search?q=retry+worker'],
    ['memories', `memories?${cwd}`],
    ['memory', `memories/${memory?.id}?${cwd}`],
    ['review', `memories/review?${cwd}`],
    ['rules', `memories/rules?${cwd}`],
    ['tasks', 'tasks'],
    ['task', `tasks/payment-retry?${cwd}`],
    ['privacy', 'privacy'],
    ['health', 'health'],
    ['cost', 'cost'],
    ['first-run', 'first-run'],
    ['team', `team?${cwd}`],
  ] as const
}

/** In the documentation. */
const PUBLISHED = new Set([
  'now',
  'start',
  'injections',
  'outcomes',
  'session',
  'lineage',
  'compare',
  'search',
  'memories',
  'tasks',
  'privacy',
  'health',
  'cost',
  'first-run',
  'team',
])

async function draw(browser: Browser, product: Product, pages: Awaited<ReturnType<typeof findPages>>): Promise<void> {
  const folder = values.all ?? join(root, 'docs/images')
  mkdirSync(folder, { recursive: true })
  const looks =
    values.all === undefined
      ? ([{ name: '', colorScheme: 'light', viewport: { width: 1180, height: 760 } }] as const)
      : ([
          { name: '-light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
          { name: '-dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
          { name: '-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
        ] as const)
  for (const { name: suffix, ...look } of looks) {
    const { url }: { url: string } = JSON.parse((await product.cli(['dashboard', '--json'])).stdout)
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce' })
    const page = await context.newPage()
    page.on(
      'console',
      (message) => void (message.type() === 'error' && console.error(`${page.url()}: ${message.text()}`)),
    )
    page.on('pageerror', (error) => console.error(error.stack))
    await page.goto(url)
    const base = page.url().replace(/\/$/, '')
    for (const [name, path] of pages) {
      if (values.all === undefined ? !PUBLISHED.has(name) : values.only !== undefined && values.only !== name) continue
      // Without data there is no such object.
      if (path.includes('undefined') || (values.empty === true && name === 'task')) continue
      await page.goto(`${base}/${path}`)
      await page.waitForSelector('main h1')
      await page.waitForFunction(() => document.querySelector('.loading') === null, undefined, { timeout: 20_000 })
      await page.waitForTimeout(400)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > look.viewport.width) console.error(`${name}${suffix}: ${width} pixels wide`)
      const problem = await page.locator('.problem').allInnerTexts()
      if (problem.length > 0) console.error(`${name}${suffix}: ${problem.join(' ')}`)
      await page.screenshot({
        path: join(folder, `dashboard-${name}${suffix}.png`),
        fullPage: values.all !== undefined,
      })
    }
    await context.close()
  }
}

const executablePath = findBrowser()
if (executablePath === undefined) throw new Error('No Chromium was found. Install it with `apt-get install chromium`.')
const product = new Product(PATIENT)
try {
  const shop = await product.aProject('shop')
  if (values.empty !== true) {
    setDemoRemote(product, shop)
    const other = await product.aProject('invoices')
    await fillDemo(product, { shop, other })
    await product.connect()
    await playLiveSessions(product, { shop, other })
    await importOtherMachine(product, shop)
  }
  await product.cli(['dashboard', '--json'])
  await waitUntil(() => product.isDaemonReady(), 'the daemon answers')
  if (values.serve === true) {
    console.log((await product.cli(['dashboard', '--json'])).stdout, product.home, shop)
    await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  } else {
    const browser = await chromium.launch({ executablePath, args: [...LAUNCH_ARGS] })
    try {
      await draw(browser, product, await findPages({ product, get: (path) => product.get(path) }, shop))
    } finally {
      await browser.close()
    }
  }
} finally {
  await product[Symbol.asyncDispose]()
  rmSync(product.dir, { recursive: true, force: true })
}
