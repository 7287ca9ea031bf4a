import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Product } from '../../support/product.ts'

export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  readonly url: string
  /** Console errors, uncaught errors, refused resources and requests to another origin. */
  readonly problems: string[]
}

/** A tab of a browser that is logged in by a new link. */
export async function openTab(
  product: Product,
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Tab> {
  const answer: { url: string } = JSON.parse((await product.cli(['dashboard', '--json'])).stdout)
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'blob:' && origin !== new URL(answer.url).origin) problems.push(`request to ${request.url()}`)
  })
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective}`)),
  )
  await page.goto(answer.url)
  await page.waitForSelector('main h1, h1')
  return { page, context, url: page.url().replace(/\/$/, ''), problems }
}

/** Opens a page and waits until it is complete. */
export async function show({ page, url }: Tab, path: string, title: string | RegExp): Promise<void> {
  await page.goto(`${url}/${path}`)
  const readState = () =>
    page.evaluate(() => ({
      title: document.querySelector('main h1')?.textContent,
      isLoading: document.querySelector('.loading') !== null,
      problem: document.querySelector('.problem')?.textContent,
    }))
  await expect.poll(readState, { timeout: 30_000, message: path }).toEqual({
    title: typeof title === 'string' ? title : expect.stringMatching(title),
    isLoading: false,
    problem: undefined,
  })
}

/** What axe-core finds wrong on the page that is shown. */
export async function findViolations({ page }: Tab): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(window, 'axe').run()
    return violations.map(
      (one: { id: string; nodes: { html: string }[] }) => `${one.id}: ${one.nodes[0]?.html.slice(0, 160)}`,
    )
  })
}
