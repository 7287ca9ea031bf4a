import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FAKE_SECRET } from '../support/daemon-setup.ts'
import { PATIENT, Product } from '../support/product.ts'
import { findBrowser, LAUNCH_ARGS } from './support/browser.mjs'
import { fillDemo, playLiveSessions } from './support/demo-store.ts'
import { importOtherMachine, setDemoRemote } from './support/other-machine.ts'
import { findViolations, openTab, show, type Tab } from './support/tab.ts'

// Each row of the dashboard as a person would use it, on three weeks of sessions that the use cases recorded.

const product = new Product(PATIENT)
let browser: Browser
let tab: Tab
let cwd: string

const click = (name: string | RegExp, at = 0) => tab.page.getByRole('button', { name }).nth(at).click()
const text = (selector: string) => tab.page.locator(selector).first().innerText()
const count = (selector: string) => tab.page.locator(selector).count()
const heading = () => text('main h1')

/** Of a session before Holdfast, for the import. */
function writePastTranscript(folder: string): void {
  const file = join(product.claudeDir, 'projects', 'p', 'written-before.jsonl')
  mkdirSync(join(product.claudeDir, 'projects', 'p'), { recursive: true })
  const base = { sessionId: 'written-before', cwd: folder, version: '2.1.325', isSidechain: false }
  const records = ['Sort the invoices by date', 'And then by amount'].map((content, at) => ({
    ...base,
    uuid: `u${at}`,
    timestamp: new Date(Date.now() - 40 * 86_400_000 + at * 60_000).toISOString(),
    type: 'user',
    message: { role: 'user', content },
  }))
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

beforeAll(async () => {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No Chromium was found.')
  const shop = await product.aProject('shop')
  setDemoRemote(product, shop)
  const other = await product.aProject('invoices')
  await fillDemo(product, { shop, other })
  await product.connect()
  await playLiveSessions(product, { shop, other })
  writePastTranscript(other)
  cwd = `cwd=${encodeURIComponent(shop)}`
  browser = await chromium.launch({ executablePath, args: [...LAUNCH_ARGS] })
  tab = await openTab(product, browser)
  tab.page.setDefaultTimeout(30_000)
})

afterAll(async () => {
  await browser?.close()
  await product[Symbol.asyncDispose]()
})

test('1 Now: what each live session does, who edits the same file, and what Holdfast did this week', async () => {
  await show(tab, '', 'Now')
  expect(await count('.live-card')).toBe(2)
  const title = tab.page.locator('h2', { hasText: 'The backoff is not reset' })
  const card = tab.page.locator('.live-card', { has: title })
  for (const shown of ['working', 'npm test -- payments', 'src/payments/retry.ts is also edited by “Write the page'])
    expect(await card.innerText()).toContain(shown)
  expect(await tab.page.locator('.live-card', { hasText: 'waiting for you' }).count()).toBe(1)
  const week = tab.page.getByRole('region', { name: 'What Holdfast did in the last 7 days' })
  expect(await week.innerText()).toMatch(
    /Handoffs given\s+\d+[\s\S]+used\s+\d+ of \d+[\s\S]+handoff\s+\d+ s\s[\s\S]+medians of \d+ and \d+ starts/,
  )
})

test('2 If a session started: a line opens its reason and the event that it comes from', async () => {
  await show(tab, `start?${cwd}`, 'If a session started here now')
  const exact: { recovery: { text: string } } = JSON.parse(JSON.stringify(await product.get(`/api/recovery?${cwd}`)))
  const lines = (await tab.page.locator('.handoff > li').allInnerTexts()).join('\n')
  expect(lines).toContain(exact.recovery.text.split('\n').at(5))
  await tab.page.locator('.handoff-line button', { hasText: "User's last request" }).click()
  expect(await text('.why')).toContain('the last request; its turn is finished')
  await tab.page.locator('.why a', { hasText: 'event #' }).first().click()
  await tab.page.locator('h2', { hasText: /^Event #/ }).waitFor()
})

test('3 Injections: what was injected, its cost, and which lines were used; a link opens one entry', async () => {
  await show(tab, 'injections?kind=recovery', 'Injections')
  await tab.page.locator('.row-link').first().click()
  await tab.page.locator('h2', { hasText: 'What was injected' }).waitFor()
  expect(await text('.ledger-line')).not.toBe('')
  expect(await tab.page.locator('main').innerText()).toMatch(/\d characters, about [\d,]+ tokens/)
  const link = tab.page.url()
  await tab.page.goto('about:blank')
  await tab.page.goto(link)
  await tab.page.locator('h2', { hasText: 'What was injected' }).waitFor()
})

test('4 Outcomes: with recovery beside without, with n and interval, and a plot of each measure', async () => {
  await show(tab, `outcomes?${cwd}`, 'Outcomes')
  expect(await text('.comparison')).toMatch(/95 %: .+ to .+, n = \d+/)
  expect(await count('.plot canvas')).toBe(5)
})

test('5 Session timeline: filter, zoom, open an event with the mouse; export as one redacted file', async () => {
  await show(tab, 'privacy', 'Privacy')
  await tab.page.getByRole('region', { name: 'Secrets that were removed' }).locator('a').first().click()
  await tab.page.locator('h2', { hasText: /^Event #/ }).waitFor()
  await tab.page.locator('.event-fields', { hasText: '[REDACTED:github-token]' }).waitFor()
  await tab.page.locator('.row').first().waitFor()
  const readSize = async () => Number(await tab.page.locator('.row').first().getAttribute('aria-setsize'))
  const size = await readSize()
  await tab.page.getByRole('checkbox', { name: /Tools/ }).uncheck()
  await expect.poll(readSize).toBeLessThan(size)
  await tab.page.getByRole('checkbox', { name: /Tools/ }).check()
  await click('Close')
  await expect.poll(() => tab.page.locator('h2', { hasText: /^Event #/ }).count()).toBe(0)
  await click('Zoom in')
  await click('Show all')
  const canvas = tab.page.locator('.timeline-canvas')
  await canvas.scrollIntoViewIfNeeded()
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('The timeline is not shown.')
  // The lane of tools, from left to right, until a call is hit.
  for (let x = 100; x < box.width && (await tab.page.locator('h2', { hasText: /^Event #/ }).count()) === 0; x += 12)
    await tab.page.mouse.click(box.x + x, box.y + 45)
  await tab.page.locator('h2', { hasText: /^Event #/ }).waitFor()
  const download = tab.page.waitForEvent('download')
  await click('Export as HTML')
  const html = readFileSync(await (await download).path(), 'utf8')
  expect(html).toContain('env | grep TOKEN')
  expect(html).not.toContain(FAKE_SECRET)
  expect(html).not.toContain('<script')
  // Named by what was asked, not by the folder.
  expect(html).toMatch(/<h1>[^/<][^<]+<\/h1>/)
})

test('6 Lineage: the graph joins sessions of different harnesses, and leads to each', async () => {
  await show(tab, `lineage?${cwd}`, 'Lineage')
  expect(await count('.edge.other')).toBeGreaterThan(2)
  await tab.page.locator('.lineage-rows a', { hasText: 'another harness' }).first().click()
  await tab.page.locator('.timeline-canvas').waitFor()
})

test('7 Checkpoints: two are compared by section, and the text of one can be taken along', async () => {
  await show(tab, `checkpoints?${cwd}`, 'Checkpoints')
  const boxes = tab.page.getByRole('checkbox')
  await boxes.nth(2).check()
  await boxes.nth(5).check()
  await click('Compare the two')
  await expect.poll(heading).toBe('Two checkpoints compared')
  await tab.page.locator('.diff').first().waitFor()
  expect(await tab.page.locator('main .panel h2').allInnerTexts()).toContain('Files')
  await tab.page.locator('.panel a').first().click()
  await tab.page.getByRole('button', { name: 'Copy: restore it in a chat' }).waitFor()
})

test('8 Search: facets narrow the results, which say why they match and how to reopen the session', async () => {
  await show(tab, 'search?q=idempotency', 'Search')
  expect(await text('.hit .row-sub')).toContain('matched: idempotency')
  await click(/^decision/)
  await expect
    .poll(async () => new Set(await tab.page.locator('.hit .badge').allInnerTexts()))
    .toEqual(new Set(['decision']))
  await click(/^claude-code/)
  await expect.poll(() => tab.page.url()).toContain('harness=claude-code')
  const command = tab.page.getByRole('button', { name: 'Copy: reopen it there' }).first()
  await expect.poll(() => command.getAttribute('title')).toContain('claude --resume')
})

test('9 Memories: edit, pin, merge, forget and undo, review, and the rules', async () => {
  await show(tab, `memories?${cwd}`, 'Memories and rules')
  await tab.page.locator('.row-link', { hasText: '80,000 products' }).click()
  await tab.page.locator('textarea').fill('The catalogue has 90,000 products.')
  await click('Save the new text')
  await tab.page.locator('h2', { hasText: 'Earlier versions' }).waitFor()
  await show(tab, `memories?${cwd}`, 'Memories and rules')
  const mark = (name: RegExp) => tab.page.getByRole('checkbox', { name }).check()
  await mark(/90,000 products/)
  await click('Pin')
  await tab.page.locator('.row', { hasText: '90,000' }).locator('.badge', { hasText: 'pinned' }).waitFor()
  await mark(/Amounts are integers/)
  await mark(/Commit messages name/)
  await click('Merge…')
  await tab.page.locator('dialog').getByRole('button', { name: 'Merge' }).click()
  await tab.page.locator('.undo').waitFor()
  await show(tab, `memories?${cwd}`, 'Memories and rules')
  await mark(/payment provider answers 409/)
  await click(/^Forget the marked/)
  await tab.page.locator('dialog').getByRole('button', { name: 'Forget' }).click()
  await tab.page.locator('.undo').getByRole('button', { name: 'Undo' }).click()
  await tab.page.getByRole('checkbox', { name: /payment provider answers 409/ }).waitFor()
  await tab.page.getByLabel('Scope').selectOption('me')
  await tab.page.getByText('No memory matches').waitFor()
  await show(tab, `memories/review?${cwd}`, 'Memories and rules')
  const inbox = tab.page.getByRole('button', { name: 'Reject' })
  await expect.poll(() => inbox.count()).toBe(2)
  await inbox.first().click()
  await expect.poll(() => inbox.count()).toBe(1)
  await tab.page.locator('textarea').fill('The worker reads the queue in batches of 40.')
  await click('Approve the reworded text')
  await tab.page.getByText('The inbox is empty').waitFor()
  await show(tab, `memories/rules?${cwd}`, 'Memories and rules')
  await tab.page.getByLabel('Text of the rule').fill('Never commit to main.')
  await click('Add')
  const rule = tab.page.locator('.rule', { hasText: 'Never commit to main.' })
  await rule.getByRole('button', { name: 'Retire' }).click()
  await expect.poll(() => rule.count()).toBe(0)
})

test('10 Tasks: the board shows what is blocked, and a task its gates and its verified chain', async () => {
  await show(tab, 'tasks', 'Tasks')
  const blocked = tab.page.getByRole('region', { name: 'Blocked' })
  expect(await blocked.innerText()).toContain('The sandbox account of the provider is locked')
  await blocked.getByRole('link', { name: 'Retry of failed payments' }).click()
  await tab.page.locator('.badge', { hasText: 'verified' }).waitFor()
  expect(await text('.gates')).toContain('Initialize')
})

test('11 Privacy: kinds of removed secrets and where; a session is forgotten after a word is typed', async () => {
  await show(tab, 'privacy', 'Privacy')
  const removed = tab.page.getByRole('region', { name: 'Secrets that were removed' })
  await expect.poll(() => removed.innerText()).toContain('github-token')
  const key = (await removed.locator('a').first().innerText()).split(' ')[1] ?? ''
  await tab.page.getByLabel('Key of the session').fill(key)
  await click('Forget the session…')
  const confirm = tab.page.locator('dialog').getByRole('button', { name: 'Forget everything of it' })
  expect(await confirm.isDisabled()).toBe(true)
  await tab.page.locator('dialog input').fill('forget')
  await confirm.click()
  await tab.page.getByText(`Everything of session ${key} was deleted.`).waitFor()
})

test('12 Health: hooks by harness, their latencies as a plot, store and disk', async () => {
  await show(tab, 'health', 'Health')
  expect(await tab.page.getByRole('region', { name: 'Hooks seen' }).innerText()).toContain('UserPromptSubmit')
  expect(await count('.plot canvas')).toBe(1)
  expect(await tab.page.locator('main').innerText()).toMatch(/GB free/)
})

test('13 Cost: tokens of the transcripts, each message once, and what Holdfast injected beside them', async () => {
  await show(tab, 'cost', 'Cost')
  const cells = await tab.page.locator('tbody tr').last().locator('td').allInnerTexts()
  const cli = JSON.stringify(await product.json(['cost', '--days', '30']))
  expect(Number(cells[0]?.replaceAll(',', ''))).toBeGreaterThan(0)
  expect(cli).toContain('"cacheRead"')
  expect(await count('.plot canvas')).toBe(2)
})

test('14 Import history: an import shows its progress, then what past sessions would have been given', async () => {
  await show(tab, 'first-run', 'Import history')
  await click('Import now')
  await tab.page.locator('.badge', { hasText: 'done' }).waitFor({ timeout: 120_000 })
  await tab.page.locator('summary').nth(2).click()
  expect(await tab.page.locator('details[open] pre').innerText()).toContain('Session Recovery Context')
})

test('15 Team: people, machines with their keys, shared memories and work of a machine that was imported', async () => {
  await show(tab, 'team', 'Team')
  expect(await text('.empty')).toContain('holdfast export')
  const { sessionKey, imported } = await importOtherMachine(product, decodeURIComponent(cwd.slice('cwd='.length)))
  expect(imported).toMatchObject({ authors: [{ id: expect.any(String) }] })
  await show(tab, `team?${cwd}`, 'Team')
  const machines = tab.page.getByRole('region', { name: 'Machines and their people' })
  expect(await machines.locator('tbody tr').count()).toBe(2)
  expect(await machines.locator('tbody').innerText()).toMatch(/this machine[\s\S]*you/)
  expect(await machines.locator('code').count()).toBe(2)
  const shared = tab.page.locator('.team-memory')
  await expect.poll(() => shared.count()).toBe(2)
  expect(await shared.nth(0).innerText()).toMatch(/staging shop[\s\S]*you on[\s\S]*\bshop$/)
  expect(await shared.nth(1).innerText()).toMatch(/tagged by the pipeline[\s\S]*@.+ on /)
  const elsewhere = tab.page.locator('.team-session')
  await expect.poll(() => elsewhere.count()).toBe(1)
  expect(await elsewhere.getByRole('button').getAttribute('title')).toBe(`holdfast take ${sessionKey}`)
  await elsewhere.locator('a').click()
  await tab.page.locator('.timeline-canvas').waitFor()
})

test('a page about one folder takes that of the latest session here, not one of another machine', async () => {
  await show(tab, 'start', 'If a session started here now')
  expect(await text('.where code')).toBe(decodeURIComponent(cwd.slice('cwd='.length)))
  await show(tab, 'memories', 'Memories and rules')
  await tab.page.locator('.row').first().waitFor()
})

test('the list names sessions by their work and does not show an open end as work; Back closes an event', async () => {
  await show(tab, 'sessions', 'Sessions')
  const row = (name: string) => tab.page.locator('.row', { hasText: name })
  await row('Write the page about retries').locator('.badge', { hasText: 'waiting for you' }).waitFor()
  await show(tab, 'sessions?phase=idle', 'Sessions')
  await expect.poll(() => tab.page.locator('.row .badge', { hasText: 'no end seen' }).count()).toBeGreaterThan(3)
  await row('Write the page about retries').locator('a').click()
  await expect.poll(heading).toBe('Write the page about retries, with an example of each error of the provider.')
  await tab.page.locator('.row', { hasText: 'docs/retries.md' }).locator('a').click()
  await tab.page.locator('h2', { hasText: /^Event #/ }).waitFor()
  // What a tool call holds is listed by its parts.
  await tab.page.locator('.event-fields dl dl dt', { hasText: 'name' }).first().waitFor()
  await tab.page.goBack()
  await expect.poll(() => count('h2:text-matches("^Event #")')).toBe(0)
  await expect.poll(heading).toMatch(/^Write the page/)
})

test('plots and the timeline say what is under the pointer', async () => {
  await show(tab, 'cost', 'Cost')
  const pointAt = async (selector: string, share: number, y: number) => {
    const box = await tab.page.locator(selector).first().boundingBox()
    if (box === null) throw new Error(`${selector} is not shown.`)
    await tab.page.mouse.move(box.x + box.width * share, box.y + y)
  }
  await pointAt('.plot', 0.5, 80)
  await expect.poll(() => text('.plot-legend')).toMatch(/input [\d.]+k[\s\S]*\d{4}-\d{2}-\d{2}/)
  await show(tab, 'privacy', 'Privacy')
  await tab.page.getByRole('region', { name: 'Secrets that were removed' }).locator('a').first().click()
  await tab.page.locator('.timeline-canvas').scrollIntoViewIfNeeded()
  for (let share = 0.1; share < 1 && !/^\d{4}-/.test(await text('.timeline-readout')); share += 0.005)
    await pointAt('.timeline-canvas', share, 45)
  expect(await text('.timeline-readout')).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} \(.+Z\) \S/)
})

test('pages full of data pass axe in both themes and in high contrast, and fit a phone', async () => {
  const pages = [
    ['', 'Now'],
    [`start?${cwd}`, 'If a session started here now'],
    [`outcomes?${cwd}`, 'Outcomes'],
    [`lineage?${cwd}`, 'Lineage'],
    ['tasks', 'Tasks'],
    ['privacy', 'Privacy'],
    ['cost', 'Cost'],
    [`team?${cwd}`, 'Team'],
  ] as const
  const found: string[] = []
  for (const [path, title] of pages) {
    await show(tab, path, title)
    for (const look of [{ contrast: 'more' }, { colorScheme: 'dark' }, { colorScheme: 'light' }] as const) {
      await tab.page.emulateMedia({ contrast: 'no-preference', ...look })
      found.push(...(await findViolations(tab)).map((one) => `${path} ${JSON.stringify(look)}: ${one}`))
    }
    await tab.page.setViewportSize({ width: 390, height: 844 })
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth)
    if (width > 390) found.push(`${path}: ${width} pixels wide`)
    // A row hides what does not fit into it.
    const cut = await tab.page.evaluate(
      () =>
        [...document.querySelectorAll('li .badge, .row .badge')].filter(
          (badge) =>
            badge.getBoundingClientRect().right > (badge.closest('li, .row')?.getBoundingClientRect().right ?? 0),
        ).length,
    )
    if (cut > 0) found.push(`${path}: ${cut} badges are cut`)
    await tab.page.setViewportSize({ width: 1280, height: 860 })
  }
  expect(found).toEqual([])
})

test('nothing of this put an error into the console or asked another machine', () => {
  expect(tab.problems).toEqual([])
})
