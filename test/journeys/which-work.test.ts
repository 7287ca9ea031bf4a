import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { inClaudeCode } from '../support/past-sessions.ts'
import { injectedBy, PATIENT, Product } from '../support/product.ts'

const GOAL = 'Make the parser in src/parser.ts keep blank lines as separators.'

async function connected(): Promise<Product> {
  // The content matters here, not the latency: bench/ measures that.
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

async function work(product: Product, cwd: string, goal: string): Promise<void> {
  const session = new ClaudeSession(product, cwd, { pid: product.anAgent() })
  await session.start()
  await session.prompt(goal)
  await session.edit('src/parser.ts', 'text.split', 'splitLines(text)')
  await session.bash('npm test', { error: 'Exit code 1\nFAIL src/parser.test.ts > keeps blank lines' })
  await session.end()
}

/** What a script's `claude -p` leaves behind. */
async function askOnce(product: Product, cwd: string, prompt: string): Promise<void> {
  const session = new ClaudeSession(product, cwd, { pid: product.anAgent() })
  await session.start()
  await session.prompt(prompt)
  await session.say('Tabs.')
  await session.end()
}

function shownBy(stdout: string): string | undefined {
  const answer: { systemMessage?: string } = JSON.parse(stdout)
  return answer.systemMessage
}

test('work of yesterday is given with its age first, and the user sees one line', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  inClaudeCode(product.claudeDir, {
    key: '0b0e3a54-4f0c-4a54-8f3f-000000000012',
    project,
    at: new Date(Date.now() - 12 * 3_600_000),
    goal: GOAL,
    file: 'src/parser.ts',
    failure: 'AssertionError: expected 2 to be 3',
    lastWords: 'Blank lines are still dropped.',
  })
  const imported = await product.cli(['import', '--from', product.claudeDir])
  expect([imported.code, imported.stderr]).toEqual([0, ''])
  const next = new ClaudeSession(product, project, { pid: product.anAgent() })
  const started = await next.fire('SessionStart', { source: 'startup' })
  expect(injectedBy(started)).toMatch(/^\| Last worked on 1[12] h ago: claude-code session 0b0e3a54/m)
  expect(injectedBy(started)).toContain(GOAL)
  expect(shownBy(started.stdout)).toMatch(
    /^Holdfast: continued from \d\d:\d\d(?: yesterday)?, 1 file.*; `holdfast explain`$/,
  )
  expect((await next.fire('UserPromptSubmit', { prompt: 'Go on where we were yesterday.' })).stdout).toBe('')
})

test('a throw-away session takes the place of the work nowhere: start, export, save, explain', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  await work(product, project, GOAL)
  await askOnce(product, project, 'tabs')
  const exported = await product.json(['handoff', 'export', join(product.dir, 'work.handoff')], { cwd: project })
  expect(exported).toMatchObject({ summary: GOAL })
  const saved = await product.json(['checkpoint', 'save', 'parser-work'], { cwd: project })
  expect(saved).toMatchObject({ task: GOAL })
  const next = new ClaudeSession(product, project, { pid: product.anAgent() })
  const injected = await next.start()
  expect(injected).toContain(GOAL)
  expect(injected).not.toContain('tabs')
  expect(injected).not.toContain('Noted by the agent')
  expect(injected.split(GOAL)).toHaveLength(2)
  const explained = await product.cli(['explain', next.id], { cwd: project })
  expect(explained.stdout).toMatch(
    /chosen: claude-code session \w{8}.*newest session here on this branch that did work/,
  )
  expect(explained.stdout).toMatch(/passed over: claude-code session \w{8}.*it did no work of its own/)
})

test('a package gets its own work, and a session that is at work there is named', async () => {
  await using product = await connected()
  const project = await product.aProject('mono')
  const [api, web] = ['api', 'web'].map((name) => join(project, 'packages', name))
  if (api === undefined || web === undefined) throw new Error('no packages')
  for (const folder of [api, web]) mkdirSync(join(folder, 'src'), { recursive: true })
  await work(product, api, 'Rename a to apiVersion everywhere.')
  await work(product, web, 'Fix the colour of the web header.')
  const inApi = new ClaudeSession(product, api, { pid: product.anAgent() })
  const own = await inApi.start()
  expect(own).toContain('Rename a to apiVersion')
  expect(own).not.toContain('web header')
  await inApi.prompt('Go on.')
  const second = await new ClaudeSession(product, api, { pid: product.anAgent() }).start()
  expect(second).toContain(`Also at work in packages/api of this worktree: claude-code session ${inApi.id.slice(0, 8)}`)
  expect(second).not.toContain('Asked')
})

test('nothing to explain is not an error', async () => {
  await using product = await connected()
  const ran = await product.cli(['explain'], { cwd: await product.aProject('empty') })
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('No text was added to a session here yet.')])
})
