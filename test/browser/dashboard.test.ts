import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAKE_SECRET } from '../support/daemon-setup.ts'
import { PATIENT, Product } from '../support/product.ts'
import { findBrowser, LAUNCH_ARGS } from './support/browser.mjs'
import { PLANTED_KEY, plantHostileRows } from './support/hostile-rows.ts'
import { findViolations, openTab as openBrowserTab, show } from './support/tab.ts'

const HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script> \u202egnitset\u202c \u001b[31mred'
const KEY = 'hostile-session'
const PAGES = [
  ['', 'Now'],
  ['start', 'If a session started here now'],
  ['injections', 'Injections'],
  ['outcomes', 'Outcomes'],
  ['sessions', 'Sessions'],
  [`sessions/${KEY}?harness=claude-code`, /^Fix the parser\./],
  [`sessions/${PLANTED_KEY}?harness=claude-code&event=2`, /^<img src=x onerror/],
  ['lineage', 'Lineage'],
  ['checkpoints', 'Checkpoints'],
  ['search?q=parser', 'Search'],
  ['memories', 'Memories and rules'],
  ['memories/review', 'Memories and rules'],
  ['memories/rules', 'Memories and rules'],
  ['tasks', 'Tasks'],
  ['privacy', 'Privacy'],
  ['health', 'Health'],
  ['cost', 'Cost'],
  ['first-run', 'Import history'],
  ['team', 'Team'],
] as const

const product = new Product(PATIENT)
let browser: Browser
let project: string

const openTab = (options?: Parameters<typeof openBrowserTab>[2]) => openBrowserTab(product, browser, options)

const submit = (key: string, prompt: string) =>
  product.hook('UserPromptSubmit', { session_id: key, cwd: project, prompt })

const edit = (key: string, id: string, file: string) =>
  product.hook('PostToolUse', {
    session_id: key,
    cwd: project,
    tool_name: 'Edit',
    tool_use_id: id,
    tool_input: { file_path: file, old_string: 'a', new_string: HOSTILE },
    tool_response: { filePath: file },
  })

beforeAll(async () => {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No Chromium was found.')
  project = await product.aProject('shop')
  // Below the redaction, as if a secret had been stored before its format was known.
  await plantHostileRows(product.home, project, `${HOSTILE} ${FAKE_SECRET} `)
  await product.connect()
  for (const key of [KEY, 'second-session']) {
    await product.hook('SessionStart', { session_id: key, cwd: project, source: 'startup' })
    await submit(key, `Fix the parser. ${HOSTILE} The token is ${FAKE_SECRET}. ${'x'.repeat(200_000)}`)
    await edit(key, `call-${key}`, `${project}/src/parser.ts`)
  }
  await product.cli(['remember', `The parser splits lines. ${HOSTILE}`], { cwd: project })
  browser = await chromium.launch({ executablePath, args: [...LAUNCH_ARGS] })
})

afterAll(async () => {
  await browser?.close()
  await product[Symbol.asyncDispose]()
})

describe('every page', () => {
  test.each(['light', 'dark'] as const)('loads, shows hostile text inert and passes axe (%s)', async (colorScheme) => {
    const tab = await openTab({ colorScheme, bypassCSP: false })
    const violations: string[] = []
    for (const [path, title] of PAGES) {
      await show(tab, path, title)
      const html = await tab.page.content()
      expect(html).not.toContain(FAKE_SECRET)
      expect(await tab.page.locator('main img, main script').count()).toBe(0)
      const shown = await tab.page.locator('body').innerText()
      expect(['\u202e', '\u001b'].filter((mark) => shown.includes(mark))).toEqual([])
      violations.push(...(await findViolations(tab)).map((one) => `${path}: ${one}`))
    }
    expect(violations).toEqual([])
    expect(tab.problems).toEqual([])
    expect(await tab.page.evaluate(() => Reflect.get(window, 'pwned'))).toBeUndefined()
    await tab.context.close()
  })

  test('fits a phone without horizontal scrolling', async () => {
    const tab = await openTab({ viewport: { width: 390, height: 844 } })
    const wide: string[] = []
    for (const [path, title] of PAGES) {
      await show(tab, path, title)
      const width = await tab.page.evaluate(() => document.documentElement.scrollWidth)
      if (width > 390) wide.push(`${path}: ${width}`)
    }
    expect(wide).toEqual([])
    await tab.context.close()
  })
})

test('two live sessions that edit one file are marked, and a prompt appears without a reload', async () => {
  const tab = await openTab()
  await show(tab, '', 'Now')
  await expect.poll(() => tab.page.locator('.live-card .notice').count()).toBe(2)
  await submit('second-session', 'A prompt that has just been typed')
  await tab.page.locator('.live-card h2', { hasText: 'A prompt that has just been typed' }).waitFor({ timeout: 5_000 })
  await tab.context.close()
})

test('a person works with the keyboard alone', async () => {
  const tab = await openTab()
  const { page } = tab
  const title = () => page.locator('main h1').innerText()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await expect.poll(title).toBe('Sessions')
  await page.locator('.row-link').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect.poll(title).toMatch(/^Fix the parser\./)
  await page.keyboard.press('?')
  await page.locator('dialog[open] h2').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  await page.keyboard.press('/')
  await expect.poll(title).toBe('Search')
  // The page is loaded after its title changed; a person sees the cursor in the box.
  await page.locator('main input[type="search"]:focus').waitFor()
  await page.keyboard.type('parser')
  await page.locator('.hit').first().waitFor()
  await tab.context.close()
})

test('the privacy page removes a secret from a text without sending it', async () => {
  const tab = await openTab()
  await show(tab, 'privacy', 'Privacy')
  const sent: string[] = []
  tab.page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await tab.page.locator('textarea').fill(`token=${FAKE_SECRET}`)
  await tab.page.locator('.trial pre').waitFor()
  expect(await tab.page.locator('.trial').innerText()).not.toContain(FAKE_SECRET)
  expect(sent.join('\n')).not.toContain(FAKE_SECRET)
  await tab.context.close()
})

test('without script, the page shows the sessions, and no secret that is stored', async () => {
  const tab = await openTab({ javaScriptEnabled: false })
  const text = await tab.page.locator('body').innerText()
  expect(text).toContain('This browser runs no script here')
  expect(text).toContain('Latest checkpoints')
  expect(text).toContain('working')
  expect(await tab.page.content()).not.toContain(FAKE_SECRET)
  await tab.context.close()
})

test('two tabs follow the same events, and say so when the daemon is gone', async () => {
  const tab = await openTab()
  const other = await tab.context.newPage()
  await other.goto(tab.url)
  await submit('second-session', 'Seen in both tabs')
  for (const page of [tab.page, other]) await page.getByText('Seen in both tabs').first().waitFor({ timeout: 20_000 })
  await product.killDaemon()
  await tab.page.getByText(/Not connected since/).waitFor({ timeout: 60_000 })
  await tab.page.getByText('The daemon does not answer: what is shown is from before').waitFor()
  await submit('second-session', 'A hook starts the daemon again')
  // It has another address, or the same and does not know the page: either way the page says what to do.
  await tab.page
    .getByText(/holdfast dashboard/)
    .first()
    .waitFor({ timeout: 60_000 })
  await tab.context.close()
  const again = await openTab()
  await again.page.getByText('A hook starts the daemon again').first().waitFor({ timeout: 30_000 })
  await again.context.close()
})

test('logging out in one tab ends both, and the address holds no token that works', async () => {
  const tab = await openTab()
  const other = await tab.context.newPage()
  await other.goto(tab.url)
  await other.waitForSelector('main h1')
  expect(tab.page.url()).not.toContain('code=')
  await tab.page.getByRole('button', { name: 'Log out' }).click()
  await tab.page.getByText('This page is logged out').waitFor()
  await other.reload()
  await other.getByText('holdfast dashboard').first().waitFor()
  await tab.context.close()
})
