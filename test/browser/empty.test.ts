import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENT, Product } from '../support/product.ts'
import { findBrowser, LAUNCH_ARGS } from './support/browser.mjs'
import { findViolations, openTab, show } from './support/tab.ts'

const product = new Product(PATIENT)
let browser: Browser

beforeAll(async () => {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No Chromium was found.')
  browser = await chromium.launch({ executablePath, args: [...LAUNCH_ARGS] })
})

afterAll(async () => {
  await browser?.close()
  await product[Symbol.asyncDispose]()
})

/** What each page says to do while nothing is stored. */
const PAGES = [
  ['', 'Now', 'holdfast init'],
  ['start', 'If a session started here now', 'holdfast init'],
  ['injections', 'Injections', 'See what the next session would get'],
  ['outcomes', 'Outcomes', 'An outcome is computed'],
  ['sessions', 'Sessions', 'holdfast init'],
  ['lineage', 'Lineage', 'holdfast init'],
  ['checkpoints', 'Checkpoints', 'holdfast checkpoints save'],
  ['search', 'Search', 'Type what you remember of it'],
  ['memories', 'Memories and rules', 'holdfast init'],
  ['tasks', 'Tasks', 'holdfast task new'],
  ['privacy', 'Privacy', 'Try a text'],
  ['health', 'Health', 'holdfast init'],
  ['cost', 'Cost', 'No tokens in the last 30 days'],
  ['first-run', 'Import history', 'Import now'],
  ['team', 'Team', 'holdfast export'],
] as const

test('with nothing stored, each page says what to do, without an error', async () => {
  const tab = await openTab(product, browser, { viewport: { width: 390, height: 844 } })
  const found: string[] = []
  for (const [path, title, step] of PAGES) {
    await show(tab, path, title)
    await expect.poll(() => tab.page.locator('main').innerText(), { message: path }).toContain(step)
    found.push(...(await findViolations(tab)).map((one) => `${path}: ${one}`))
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth)
    if (width > 390) found.push(`${path}: ${width} pixels wide`)
  }
  expect([...found, ...tab.problems]).toEqual([])
  await tab.context.close()
})
