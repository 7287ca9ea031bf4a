// S1, the session continuity protocol of Signet: one test per row, named by the row. Most rows look at one story: a session that
// works, is compacted, ends, and is continued by another.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { HEADER } from '../../src/wire/headers.ts'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { createSqlStore } from '../../src/storage/queries/sql-store.ts'
import { openSqliteEngine } from '../../src/storage/sqlite/engine.ts'
import { aCheckpoint, START } from '../contracts/store-examples.ts'
import { aBench } from '../support/continuity-setup.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { httpAgentApi, McpClient } from '../support/mcp-client.ts'
import { type Ran, PATIENT, Product, waitUntil } from '../support/product.ts'

const Row = z.object({
  id: z.string(),
  session_key: z.string(),
  harness: z.string(),
  project: z.string(),
  project_normalized: z.string(),
  trigger: z.string(),
  digest: z.string(),
  prompt_count: z.number(),
  memory_queries: z.array(z.string()),
  recent_remembers: z.array(z.string()),
  created_at: z.string(),
})
type CheckpointRow = z.infer<typeof Row>
const Rows = z.object({ checkpoints: z.array(Row) })

const root = join(import.meta.dirname, '..', '..')
const SECRET = `sk-ant-api03-${'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(2)}`
const LONG = Array.from({ length: 60 }, (_, index) => `Sentence ${index + 1} of the digest says something.`).join(' ')

let product: Product
let project: string
let link: string
let first: ClaudeSession
let second: ClaudeSession
/** The checkpoints of the first session, oldest first. */
let rows: readonly CheckpointRow[]
let compacted: string
let recovered: string
let memory: string

const readRows = async (path: string) => Rows.parse(await product.get(path)).checkpoints
const listBySession = (key: string) => readRows(`/api/checkpoints/${key}?limit=100`)
const listByProject = (path: string) => readRows(`/api/checkpoints?project=${encodeURIComponent(path)}&limit=10`)
const hasRow = (key: string, isWanted: (row: CheckpointRow) => boolean, what: string) =>
  waitUntil(async () => (await listBySession(key)).some(isWanted), what)
const connect = (cwd: string, sessionKey?: string) =>
  McpClient.connect(product, {
    transport: 'stdio',
    revision: '2025-11-25',
    cwd,
    ...(sessionKey !== undefined && { sessionKey }),
  })
const getRow = (trigger: string): CheckpointRow => {
  const found = rows.find((row) => row.trigger === trigger)
  if (found === undefined) throw new Error(`no ${trigger} checkpoint`)
  return found
}

async function startedSession(cwd: string, id?: string): Promise<{ session: ClaudeSession; injected: string }> {
  const session = new ClaudeSession(product, cwd, { pid: product.anAgent(), ...(id !== undefined && { id }) })
  return { session, injected: await session.start() }
}

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
  const config = { continuity: { promptInterval: 4, debounceMs: 50, maxCheckpointsPerSession: 8 } }
  writeFileSync(join(product.home, 'config.json'), JSON.stringify(config))
  await product.json(['daemon', 'start'])
  project = await product.aProject('shop')
  link = `${project}-link`
  symlinkSync(project, link)
  ;({ session: first } = await startedSession(link))
  const inShell = { cwd: project, env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: first.id } }
  const said = await product.cli(['remember', 'The invoice printer accepts only A4 paper.', '--json'], inShell)
  memory = z.object({ id: z.string() }).parse(JSON.parse(said.stdout)).id
  await first.prompt('Which paper does the invoice printer accept?')
  await first.edit('src/parser.ts', 'text.split', 'split(text)')
  await first.bash('npm test', { error: 'Exit code 1\n1 failed' })
  await first.prompt('Keep empty lines in the invoice totals.')
  await first.prompt('Round the taxes up.')
  await first.prompt('Print the footer twice.')
  await hasRow(first.id, ({ trigger }) => trigger === 'periodic', 'a periodic checkpoint')
  await using client = await connect(project, first.id)
  await client.json('remember', { content: 'The VAT id is printed in the footer.' })
  await client.json('session_digest', { summary: `${LONG} Authorization: Bearer ${SECRET}` })
  await first.prompt('Align the columns.')
  await first.fire('PreCompact', {
    trigger: 'manual',
    custom_instructions: 'keep the marker ZEBRA-42',
    sessionContext: 'RUNTIME-CTX: the user tests on Windows',
  })
  // An answer that is late for its hook comes with the next prompt.
  compacted = await first.start('compact')
  compacted += await first.prompt('Export the invoices as CSV.')
  await first.edit('src/csv.ts', '', 'export const csv = 1\n')
  await first.end()
  await hasRow(first.id, ({ trigger }) => trigger === 'session_end', 'the checkpoint of the end')
  rows = (await listBySession(first.id)).toReversed()
  ;({ session: second, injected: recovered } = await startedSession(project))
  recovered ||= await second.prompt('Which file holds the CSV export?')
})

/** Another home, whose time trigger is short. */
let timed: Product | undefined
async function startedTimed(): Promise<{ session: ClaudeSession }> {
  timed = new Product(PATIENT)
  await timed.connect()
  writeFileSync(join(timed.home, 'config.json'), JSON.stringify({ continuity: { timeIntervalMs: 1_000 } }))
  await timed.json(['daemon', 'start'])
  const session = new ClaudeSession(timed, await timed.aProject('timed'), { pid: timed.anAgent() })
  await session.start()
  return { session }
}

afterAll(async () => {
  await timed?.[Symbol.asyncDispose]()
  await product[Symbol.asyncDispose]()
})

test('S1.1.1 every hook forwards session_id as the session key', async () => {
  const Events = z.array(z.object({ event: z.object({ kind: z.string() }) }))
  const known = Events.parse(await product.json(['events', 'list', '--session', first.id]))
  const kinds = new Set(known.map(({ event }) => event.kind))
  for (const kind of ['session-started', 'prompt-submitted', 'tool-finished', 'compaction-started', 'session-ended'])
    expect(kinds).toContain(kind)
})

test('S1.1.2 hooks read the common fields: cwd, transcript_path, hook_event_name', async () => {
  expect(await product.json(['sessions', 'show', first.id])).toMatchObject({
    key: first.id,
    place: { worktree: project },
    transcriptPath: first.transcript,
  })
})

test('S1.1.3 hooks accept sessionId and userPrompt beside session_id and prompt', async () => {
  const folder = await product.aProject('spelled')
  await product.hook('SessionStart', { sessionId: 'camel-1', cwd: folder, source: 'startup' })
  await product.hook('UserPromptSubmit', { sessionId: 'camel-1', cwd: folder, userPrompt: 'Parse the dates.' })
  await product.hook('UserPromptSubmit', { session_id: 'camel-1', cwd: folder, user_prompt: 'And the times.' })
  const halves = { session_id: '', sessionId: 'camel-1', prompt: '', user_prompt: 'And the zones.' }
  await product.hook('UserPromptSubmit', { ...halves, cwd: folder })
  const Events = z.array(z.object({ event: z.object({ prompt: z.string().optional() }) }))
  const known = Events.parse(await product.json(['events', 'list', '--session', 'camel-1']))
  expect(known.flatMap(({ event }) => event.prompt ?? [])).toEqual([
    'Parse the dates.',
    'And the times.',
    'And the zones.',
  ])
})

test('S1.1.4 a checkpoint has the columns of session_checkpoints', () => {
  expect(getRow('session_end')).toMatchObject({ session_key: first.id, harness: 'claude-code', prompt_count: 6 })
})

test('S1.1.5 checkpoints are listed newest first, by session and by project', async () => {
  for (const listed of [await listBySession(first.id), await listByProject(project)]) {
    const times = listed.map(({ created_at }) => created_at)
    expect(times.length).toBeGreaterThan(2)
    expect(times).toEqual(times.toSorted().toReversed())
  }
})

test('S1.1.6 an id is unique without a sequence column', () => {
  const ids = rows.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^ckpt-\d{4}-\d{2}-\d{2}-[a-z0-9]{10}$/)
})

test('S1.1.7 project_normalized is the real path, project is as reported', () => {
  for (const row of rows) expect(row.project_normalized).toBe(project)
})

test('S1.1.8 checkpoints are not memories', async () => {
  const { memories } = z
    .object({ memories: z.array(z.object({ content: z.string() })) })
    .parse(await product.get(`/api/memories?cwd=${encodeURIComponent(project)}`))
  expect(memories.map(({ content }) => content).toSorted()).toEqual([
    'The VAT id is printed in the footer.',
    'The invoice printer accepts only A4 paper.',
  ])
})

test('S1.1.9 the state of a session begins with its start', async () => {
  expect(await product.json(['sessions', 'show', second.id])).toMatchObject({
    phase: expect.stringMatching('idle|working'),
    key: second.id,
  })
})

test('S1.1.10 a prompt raises the count and adds its query', () => {
  expect(getRow('periodic').prompt_count).toBe(4)
  expect(getRow('periodic').memory_queries).toContain('round taxes')
})

test('S1.1.11 what is remembered is added to the state', () => {
  expect(getRow('periodic').recent_remembers).toEqual(['The invoice printer accepts only A4 paper.'])
})

test('S1.1.12 at most 20 queries and 10 remembered texts are in a checkpoint', async () => {
  const cwd = await product.aProject('many')
  const { session } = await startedSession(cwd)
  await using client = await connect(cwd, session.id)
  for (let index = 1; index <= 12; index += 1)
    await client.json('remember', { content: `The machine number ${index}x of the hall stands at gate ${index + 20}.` })
  for (let index = 1; index <= 23; index += 1) await session.prompt(`Handle the case number ${index}x of the parser.`)
  await session.end()
  // A late periodic checkpoint may have all prompts already: the end then has nothing to add.
  await hasRow(session.id, ({ prompt_count: count }) => count === 23, 'a checkpoint with all prompts')
  const [row] = await listBySession(session.id)
  expect(row?.memory_queries).toHaveLength(20)
  expect(row?.memory_queries.at(-1)).toContain('23x')
  expect(row?.recent_remembers).toHaveLength(10)
  expect(row?.recent_remembers.at(-1)).toContain('12x')
})

test('S1.1.13 a checkpoint is due after promptInterval prompts', () => {
  expect(rows[0]).toMatchObject({ trigger: 'periodic', prompt_count: 4 })
})

test('S1.1.14 a checkpoint is due after timeIntervalMs, also when no prompt arrives', async () => {
  const { session } = await startedTimed()
  await session.prompt('Write the manual of the invoice printer.')
  await session.edit('src/parser.ts', 'a', 'b')
  const list = async () =>
    z.array(Row.pick({ trigger: true })).parse(await timed?.json(['checkpoints', 'list', '--all']))
  await waitUntil(async () => (await list()).some(({ trigger }) => trigger === 'periodic'), 'a periodic one', 40_000)
})

test('S1.1.15 different: consumeState resets the pending queries: only the digest counts from the last checkpoint, the fields keep the session, so that no recovery is empty', () => {
  const end = getRow('session_end')
  expect(end.memory_queries.join(' ')).toContain('round taxes')
  expect(end.digest).not.toContain('Queries: which paper')
  expect(end.digest).toMatch(/Queries: .*export invoices/)
})

test('S1.1.16 no session has more checkpoints than the limit, while it runs', async () => {
  const { session } = await startedSession(await product.aProject('capped'))
  await using client = await connect(project, session.id)
  for (let turn = 1; turn <= 11; turn += 1) {
    await session.prompt(`Add the rule number ${turn} to src/parser.ts, with a test for it.`)
    await session.edit('src/parser.ts', `rule ${turn - 1}`, `rule ${turn}`)
    await client.json('session_digest', { summary: `Rule ${turn} is added.`, session_id: session.id })
    expect((await listBySession(session.id)).length).toBeLessThanOrEqual(8)
  }
  expect(await listBySession(session.id)).toHaveLength(8)
})

test('S1.1.17 sessions write at the same time without a conflict', async () => {
  const cwd = await product.aProject('parallel')
  const sessions = await Promise.all([1, 2, 3].map(() => startedSession(cwd)))
  await Promise.all(sessions.map(({ session }, index) => session.prompt(`Write the page ${index} of the manual.`)))
  await Promise.all(sessions.map(({ session }) => session.end()))
  for (const { session } of sessions) await hasRow(session.id, () => true, 'each has a checkpoint')
})

test('S1.1.18 the newest work of the project within the window is recovered', () => {
  expect(recovered).toContain('Export the invoices as CSV.')
})

test('S1.1.19 a session is found by its key', async () => {
  expect((await listBySession(first.id)).every(({ session_key }) => session_key === first.id)).toBe(true)
  expect(await listBySession('nobody')).toEqual([])
})

test('S1.1.20 all checkpoints of a session are listed in order', () => {
  expect(rows.map(({ trigger }) => trigger)).toEqual(['periodic', 'agent', 'pre_compaction', 'session_end'])
})

const daysAgo = (days: number) => new Date(Date.parse(START) - days * 86_400_000).toISOString()

async function pruneSome(): Promise<readonly string[]> {
  await using store = createSqlStore(await openSqliteEngine({ file: ':memory:' }))
  for (const days of [30, 9, 8]) await store.saveCheckpoint(aCheckpoint('old', { createdAt: daysAgo(days) }))
  await store.saveCheckpoint(aCheckpoint('new', { createdAt: daysAgo(1) }))
  await store.pruneCheckpoints({ now: START, retentionDays: 7, maxPerSession: 50, sliceRows: 500 })
  const left = await store.listCheckpoints({ limit: 10 })
  return left.map(({ checkpoint }) => checkpoint.createdAt)
}

test('S1.1.21 periodic checkpoints older than retentionDays are deleted', async () => {
  const left = await pruneSome()
  for (const days of [30, 9]) expect(left).not.toContain(daysAgo(days))
})

test('S1.1.22 the newest checkpoint of a session is never deleted by age', async () => {
  expect((await pruneSome()).toSorted()).toEqual([daysAgo(8), daysAgo(1)])
})

test('S1.1.23 writes are merged after a short delay, and flushed at the end', async () => {
  const { session } = await startedSession(await product.aProject('merged'))
  await Promise.all([1, 2, 3, 4].map((index) => session.prompt(`Rename the field ${index} of the invoice.`)))
  await session.end()
  await hasRow(session.id, ({ prompt_count }) => prompt_count === 4, 'the end is stored')
  expect((await listBySession(session.id)).length).toBeLessThanOrEqual(2)
})

test('S1.1.24 the digest has a title, the project, the prompts and the duration', () => {
  const lines = getRow('periodic').digest.split('\n')
  expect(lines.slice(0, 3)).toEqual(['## Session Checkpoint', `Project: ${link}`, 'Prompts: 4 | Duration: 0m'])
})

test('S1.1.25 the digest lists queries and remembered texts since the last checkpoint', () => {
  const { digest } = getRow('periodic')
  expect(digest).toContain('\n### Memory Activity Since Last Checkpoint\nQueries: which paper invoice printer accept, ')
  expect(digest).toContain('\nRemembered: The invoice printer accepts only A4 paper.')
  expect(getRow('agent').digest).toContain('\nRemembered: The VAT id is printed in the footer.')
  expect(getRow('session_end').digest).not.toContain('\nRemembered: ')
})

test('S1.1.26 the digest lists the memories that were injected most', () => {
  expect(getRow('periodic').digest).toContain(`\nTop memories accessed: ${memory}`)
  expect(getRow('session_end').digest).not.toContain('Top memories accessed')
})

test("S1.1.27 the digest of an agent has the agent's summary verbatim", () => {
  expect(getRow('agent').digest).toContain(`\n${LONG} Authorization: Bearer [REDACTED`)
})

test("S1.1.28 a checkpoint before a compaction has the user's instructions and the runtime's session context", async () => {
  expect(getRow('pre_compaction').digest).toContain('ZEBRA-42')
  expect(getRow('pre_compaction').digest).toContain('RUNTIME-CTX: the user tests on Windows')
  expect(getRow('periodic').digest).not.toContain('ZEBRA-42')
  // A harness that Holdfast does not know by name.
  const cwd = await product.aProject('foreign')
  const report = (kind: string, fields: object) =>
    product.cli(['hook', 'generic', kind], { input: JSON.stringify({ session: 'foreign-1', cwd, ...fields }) })
  await report('session-started', {})
  await report('prompt-submitted', { prompt: 'Print the labels twice.' })
  await report('compaction-started', { instructions: 'keep OKAPI-7', sessionContext: 'two printers are attached' })
  await hasRow('foreign-1', ({ trigger }) => trigger === 'pre_compaction', 'the checkpoint before the compaction')
  const [row] = await listBySession('foreign-1')
  for (const text of ['OKAPI-7', 'two printers are attached']) expect(row?.digest).toContain(text)
})

test('S1.1.29 a start looks for recent work of the project', () => {
  expect(recovered).toMatch(/^## Session Recovery Context\n/)
})

test('S1.1.30 lineage comes before the path, and another path gets nothing', async () => {
  const resumed = new ClaudeSession(product, project, { pid: product.anAgent(), id: first.id })
  expect(await resumed.start('resume')).toContain('Export the invoices as CSV.')
  await resumed.end()
  expect((await startedSession(await product.aProject('elsewhere'))).injected).not.toContain('CSV')
})

test('S1.1.31 the recovery is a section of its own of at most 2,000 characters, whole', () => {
  const [block = ''] = recovered.split('\n\n##')
  expect(block.length).toBeLessThanOrEqual(2_000)
  expect(block).toMatch(/\[\/holdfast [0-9a-f]{8}\]\s*$/)
})

test('S1.1.32 a prompt is counted and its checkpoint written after the hook was answered', () => {
  expect(rows.filter(({ trigger }) => trigger === 'periodic')).toHaveLength(1)
})

test('S1.1.33 remember on the command line counts for the session of its shell', () => {
  expect(getRow('session_end').recent_remembers).toContain('The invoice printer accepts only A4 paper.')
})

test('S1.1.34 the end of a session flushes its last work', async () => {
  expect(getRow('session_end').memory_queries.at(-1)).toContain('csv')
  expect(await product.json(['sessions', 'show', first.id])).toMatchObject({ phase: 'ended' })
})

test('S1.1.35 a compaction is preceded by a checkpoint', () => {
  expect(getRow('pre_compaction').digest).toMatch(/^## Pre-Compaction Checkpoint\n/)
})

test('S1.1.36 tokens and keys in a digest are removed before it is stored', () => {
  const stored = ['holdfast.db', 'holdfast.db-wal']
    .map((name) => join(product.home, 'data', name))
    .filter((path) => existsSync(path))
  expect(stored).not.toEqual([])
  for (const path of stored) expect(readFileSync(path).includes(SECRET)).toBe(false)
  expect(JSON.stringify(rows)).not.toContain(SECRET)
})

const SECRETS = [
  [
    'base64',
    `Authorization: Basic ${Buffer.from('deploy:hunter2-hunter2').toString('base64')}`,
    'aHVudGVyMi1odW50ZXIy',
  ],
  ['variable', 'export DB_PASSWORD=hunter2-hunter2', 'hunter2-hunter2'],
  ['github', `ghp_${'a6Bseq24'.repeat(5).slice(0, 36)}`, 'a6Bseq24'],
  ['aws', 'AKIAIOSFODNN7EXAMPLQ', 'AKIAIOSFODNN7EXAMPLQ'],
  ['url', 'postgres://shop:s3cr3t-pass@db.example.invalid/shop', 's3cr3t-pass'],
] as const

test('S1.1.37 base64 credentials, environment variables and key formats are removed', async () => {
  const text = SECRETS.map(([, line]) => line).join('\n')
  const { stdout } = await product.cli(['redact'], { input: text })
  for (const [name, , secret] of SECRETS) expect([name, stdout.includes(secret)]).toEqual([name, false])
})

test('S1.1.38 different: matches become [REDACTED]: the marker names the kind too, [REDACTED:kind], so that a reader knows what was there', () => {
  expect(getRow('agent').digest).toMatch(/Bearer \[REDACTED:[a-z-]+\]/)
})

async function plantSecret(): Promise<void> {
  await product.cli(['daemon', 'stop'])
  const database = openDatabase(join(product.home, 'data', 'holdfast.db'))
  const text = `export TOKEN=${SECRET}`
  database.prepare('update memories set content = ? where content like ?').run(text, 'The VAT id%')
  database.close()
  await product.json(['daemon', 'start'])
}

test('S1.1.39 what an older version stored is redacted again on the way out of the API', async () => {
  await plantSecret()
  const answer = JSON.stringify(await product.get(`/api/memories?cwd=${encodeURIComponent(project)}`))
  expect(answer).toContain('[REDACTED')
  expect(answer).not.toContain(SECRET)
})

test('S1.1.40 the same for the dashboard', async () => {
  const { stdout } = await product.cli(['dashboard'])
  const url = new URL(/http:\S+/.exec(stdout)?.[0] ?? '')
  const opened = await fetch(url, { redirect: 'manual' })
  const [cookie = ''] = (opened.headers.getSetCookie()[0] ?? '').split(';')
  const page = await fetch(new URL(opened.headers.get('location') ?? '', url), { headers: { cookie } })
  // What the pages show is read with the token of the page.
  const token = /name="holdfast-page" content="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const memories = new URL(`/api/memories?cwd=${encodeURIComponent(project)}`, url)
  const shown = await (await fetch(memories, { headers: { [HEADER.page]: token } })).text()
  expect(shown).toContain('export TOKEN=[REDACTED')
  expect(shown).not.toContain(SECRET)
})

test('S1.1.41 the continuity settings have their names and defaults', async () => {
  const page = readFileSync(join(root, 'docs', 'reference', 'config.md'), 'utf8')
  const defaults = { enabled: true, promptInterval: 10, timeIntervalMs: 900_000, maxCheckpointsPerSession: 50 }
  for (const [name, value] of Object.entries({ ...defaults, retentionDays: 7, recoveryBudgetChars: 2000 }))
    expect(page).toMatch(new RegExp(`\`continuity\\.${name}\`[^\\n]*\`?${value}\`?`))
})

test('S1.1.42 enabled: false switches it off, for one project too, and says so', async () => {
  const cwd = await product.aProject('switched-off')
  mkdirSync(join(cwd, '.holdfast'), { recursive: true })
  writeFileSync(join(cwd, '.holdfast', 'config.json'), JSON.stringify({ continuity: { enabled: false } }))
  const { session } = await startedSession(cwd)
  for (let index = 0; index < 5; index += 1) await session.prompt(`Write the chapter ${index} of the manual.`)
  await session.end()
  expect(await listBySession(session.id)).toEqual([])
  expect((await product.cli(['checkpoints', 'list'], { cwd })).stdout).toMatch(/switched off|continuity\.enabled/)
})

test('S1.1.43 a setting of the user applies, and its origin is shown', async () => {
  expect((await product.cli(['config'])).stdout).toMatch(/continuity\.promptInterval\s+4\b.*(?:user|file)/)
})

test('S1.1.44 ?project= finds a project by a link, a trailing slash and a subfolder too', async () => {
  mkdirSync(join(project, 'packages', 'web'), { recursive: true })
  const ids = async (path: string) => (await listByProject(path)).map(({ id }) => id)
  const expected = await ids(project)
  expect(expected.length).toBeGreaterThan(0)
  for (const path of [`${project}/`, link, `${project}/./`, join(project, 'packages', 'web')])
    expect([path, await ids(path)]).toEqual([path, expected])
  expect(await ids(join(product.dir, 'nowhere'))).toEqual([])
})

test('S1.1.45 GET /api/checkpoints/:sessionKey lists the checkpoints of a session', async () => {
  expect((await listBySession(first.id)).map(({ id }) => id)).toEqual(rows.toReversed().map(({ id }) => id))
})

test('S1.1.46 the API asks for a token', async () => {
  const { url, token } = await httpAgentApi(product)
  const list = new URL('/api/checkpoints?limit=1', url)
  expect((await fetch(list)).status).toBe(401)
  expect((await fetch(list, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200)
})

test('S1.1.47 the API limits the rate of a client', async () => {
  const { url } = await httpAgentApi(product)
  const ask = async () => (await fetch(new URL('/api/checkpoints?limit=1', url))).status
  const statuses = new Set<number>()
  for (let round = 0; round < 10 && !statuses.has(429); round += 1)
    for (const status of await Promise.all(Array.from({ length: 150 }, ask))) statuses.add(status)
  expect([...statuses].toSorted((a, b) => a - b)).toEqual([401, 429])
})

test('S1.1.48 deleting old checkpoints is scheduled work of the daemon', async () => {
  await using bench = await aBench()
  const createdAt = bench.ports.time.now()
  for (let index = 0; index < 2; index += 1) await bench.store.saveCheckpoint(aCheckpoint('old', { createdAt }))
  const before = (await bench.store.counts()).checkpoints
  bench.ports.time.advance(8 * 86_400_000)
  const seenAtMs = Date.parse(bench.ports.time.now())
  bench.ports.clockTrust = { trustedAtMs: seenAtMs, seenAtMs, observedMs: 50_000_000, neededMs: 3_600_000 }
  await bench.continuity.tick()
  expect([before, (await bench.store.counts()).checkpoints]).toEqual([2, 1])
})

test('S1.1.49 Claude Code: passive checkpoints, recovery, session_digest and pre-compaction', () => {
  expect(rows.map(({ trigger }) => trigger)).toEqual(expect.arrayContaining(['periodic', 'agent', 'pre_compaction']))
  expect(compacted).toContain('## Session Recovery Context')
})

const runInit = (harness: string) => product.cli(['init', '--harness', harness, '--yes', '--dry-run'])

test('S1.1.50 OpenCode is connected by a plugin', async () => {
  const { code, stdout } = await runInit('opencode')
  expect([code, /plugin/.test(stdout)]).toEqual([0, true])
})

test('S1.1.51 OpenClaw is connected by a plugin', async () => {
  const { code, stdout } = await runInit('openclaw')
  expect([code, /plugin|hook/.test(stdout)]).toEqual([0, true])
})

test('S1.1.52 OpenClaw without the plugin API: its legacy hooks are read', () => {
  const folder = join(root, 'src', 'harness', 'openclaw', 'fixtures')
  const legacy = readdirSync(folder).filter((name) => name.startsWith('legacy_'))
  expect(legacy.length).toBeGreaterThan(0)
  expect(readFileSync(join(root, 'docs', 'openclaw.md'), 'utf8')).toMatch(/legacy|older/i)
})

test('S1.1.53 an agent writes a digest with session_digest, and a secret in it is not stored', async () => {
  await using client = await connect(project, second.id)
  const saved = await client.json('session_digest', {
    summary: `Taxes round up. key ${SECRET}`,
    next: 'Run `npm test`',
  })
  expect(saved).toMatchObject({ ok: true, session_id: second.id })
  const [row] = await listBySession(second.id)
  expect([row?.trigger, row?.digest.includes('Taxes round up.'), row?.digest.includes(SECRET)]).toEqual([
    'agent',
    true,
    false,
  ])
})

test('S1.1.54 the instructions for agents name session_digest', () => {
  expect(readFileSync(join(root, 'skills', 'snippet.md'), 'utf8')).toContain('session_digest')
})

test('S1.1.55 both channels feed one list', () => {
  expect(new Set(rows.map(({ trigger }) => trigger)).size).toBe(4)
})

test('S1.1.56 different: SQLite-only storage: SQLite is the default, and PostgreSQL can be configured for one person with several machines', () => {
  expect(existsSync(join(product.home, 'data', 'holdfast.db'))).toBe(true)
  expect(readFileSync(join(root, 'docs', 'reference', 'config.md'), 'utf8')).toContain('PostgreSQL')
})

const killed = 'a-session-that-is-killed'

test('S1.1.57 after a kill the next session in the project is given the work', async () => {
  const cwd = await product.aProject('killed')
  const pid = product.anAgent()
  const session = new ClaudeSession(product, cwd, { pid, id: killed })
  await session.start()
  await session.prompt('Make src/parser.ts keep the empty lines.')
  await session.edit('src/parser.ts', 'a', 'b')
  await product.kill(pid)
  expect((await startedSession(cwd)).injected).toContain('Make src/parser.ts keep the empty lines.')
})

const Signals = z.object({
  session_key: z.string(),
  is_recovery: z.boolean(),
  novel_context_count: z.number().optional(),
  memory_queries: z.array(z.string()),
  digests: z.array(z.object({ summary: z.string() })),
})

async function exportSignals(key: string): Promise<z.infer<typeof Signals>> {
  const read = async () => {
    const { stdout } = await product.cli(['stats', '--export'])
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => Signals.parse(JSON.parse(line))).find(({ session_key }) => session_key === key)
  }
  await waitUntil(async () => (await read()) !== undefined, 'the start has an outcome', 30_000)
  const found = await read()
  if (found === undefined) throw new Error('no signals')
  return found
}

test('S1.1.58 starts with a recovery and cold starts are distinguished for a scorer', async () => {
  expect((await exportSignals(killed)).is_recovery).toBe(false)
  await second.prompt('Which file holds the CSV export?')
  await second.bash('ls')
  await second.end()
  expect((await exportSignals(second.id)).is_recovery).toBe(true)
})

test('S1.1.59 the queries of a session are exported for a scorer', async () => {
  expect((await exportSignals(first.id)).memory_queries.join(' ')).toContain('invoice printer')
})

test('S1.1.60 the digests of agents are exported as labels', async () => {
  expect((await exportSignals(first.id)).digests[0]?.summary).toContain('Sentence 1 of the digest')
})

test('S1.2.1 two channels: what is observed, and what the agent writes', () => {
  const byTrigger = (trigger: string) => rows.filter((row) => row.trigger === trigger).length
  expect([byTrigger('periodic'), byTrigger('agent')]).toEqual([1, 1])
})

test('S1.2.2 the state is captured before a compaction', () => {
  const before = getRow('pre_compaction')
  expect(before.prompt_count).toBe(5)
  expect(before.memory_queries.join(' ')).toContain('align columns')
})

test('S1.2.3 checkpoints are stored apart from memories', () => {
  const database = openDatabase(join(product.home, 'data', 'holdfast.db'), { readOnly: true })
  const count = database.prepare('select count(*) as n from memories where content like ?').get('%Session Checkpoint%')
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name = 'session_checkpoints'")
    .all()
  database.close()
  expect([count, tables]).toEqual([{ n: 0 }, [{ name: 'session_checkpoints' }]])
})

test('S1.2.4 no sequence of checkpoints: two that are written at once have different ids', async () => {
  await using client = await connect(project, second.id)
  const saved = await Promise.all(
    [1, 2, 3].map((n) => client.json('session_digest', { summary: `Part ${n} is written.` })),
  )
  expect(saved).toHaveLength(3)
  const ids = (await listBySession(second.id)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('S1.2.5 a session in a symbolic link and one in its target are one project', () => {
  expect([getRow('periodic').project, getRow('agent').project]).toEqual([link, project])
  expect(new Set(rows.map((row) => row.project_normalized))).toEqual(new Set([project]))
  expect(recovered).toContain('Export the invoices as CSV.')
})

test('S1.2.6 a prompt is answered before its checkpoint is written', async () => {
  expect(getRow('periodic').prompt_count).toBe(4)
  expect((await product.cli(['config'])).stdout).toMatch(/continuity\.debounceMs\s+50\b/)
})

test('S1.2.7 the budget of the recovery is its own: at most 2,000 characters, never cut off', () => {
  for (const text of [compacted, recovered]) {
    const block = /## Session Recovery Context[^]*?\[\/holdfast [0-9a-f]{8}\]/.exec(text)?.[0] ?? ''
    expect(block.length).toBeGreaterThan(100)
    expect(block.length).toBeLessThanOrEqual(2_000)
  }
})

test('S1.2.8 the session_digest tool takes a summary, decisions, blockers and the next action', async () => {
  await using client = await connect(project, second.id)
  const decisions = [{ decision: 'Round up', rationale: 'the law says so' }]
  await client.json('session_digest', {
    summary: 'Taxes are rounded.',
    decisions,
    blockers: ['no printer'],
    next: 'Test',
  })
  const [row] = await listBySession(second.id)
  for (const text of ['Taxes are rounded.', 'Round up', 'the law says so', 'no printer', 'Test'])
    expect(row?.digest).toContain(text)
})

test('S1.2.9 how long checkpoints stay is a setting', async () => {
  expect((await product.cli(['config'])).stdout).toMatch(/continuity\.retentionDays\s+7\b/)
})

test('S1.2.10 the signals for a scorer are exported', async () => {
  expect(await exportSignals(first.id)).toMatchObject({ session_key: first.id, is_recovery: true })
})

test('S1.3.1 what the first implementation never shipped: session_digest and lineage', async () => {
  const Lineage = z.object({ lineage: z.unknown().optional() }).loose()
  const shown = JSON.stringify(Lineage.parse(await product.json(['sessions', 'show', second.id])))
  expect(shown).toContain(first.id)
})

test('S1.3.2 a start after a compaction with the same id gets its recovery', () => {
  expect(compacted).toContain('Align the columns.')
})

test('S1.3.3 the PreCompact hook runs as it was installed', async () => {
  const { session } = await startedSession(await product.aProject('installed'))
  const ran: Ran = await session.fire('PreCompact', { trigger: 'auto', custom_instructions: null })
  expect([ran.code, ran.stderr]).toEqual([0, ''])
})

test('S1.3.4 prompts, a periodic checkpoint, the end, a new session: the recovery is not empty', () => {
  for (const text of ['Export the invoices as CSV.', 'src/csv.ts']) expect(recovered).toContain(text)
})

test('S1.3.5 a daemon that is killed between two prompts loses none of them', async () => {
  const { session } = await startedSession(await product.aProject('restarted'))
  await session.prompt('Write the first half of the manual.')
  await product.killDaemon()
  for (const part of ['second', 'third', 'fourth']) await session.prompt(`Write the ${part} part of the manual.`)
  await product.json(['daemon', 'start'])
  await hasRow(session.id, ({ prompt_count }) => prompt_count === 4, 'a checkpoint over the restart')
})

test('S1.3.6 a second live session does not get the work of the running one as its own', async () => {
  const cwd = await product.aProject('shared')
  const { session } = await startedSession(cwd)
  await session.prompt('Translate the footer into French.')
  await session.edit('src/parser.ts', 'a', 'b')
  const other = (await startedSession(cwd)).injected
  expect(other).not.toContain('Go on with: Translate')
  await session.end()
})

test('S1.3.7 long paths, hashes and the word token are not taken for secrets', async () => {
  const text = `token handling in ${'packages/'.repeat(12)}index.ts at 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n`
  const { stdout } = await product.cli(['redact'], { input: text })
  expect(stdout).toBe(text)
})

test("S1.3.8 init keeps the user's own hooks, and uninstall gives them back", async () => {
  const other = new Product(PATIENT)
  try {
    const settings = join(other.claudeDir, 'settings.json')
    const own = `${JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } }, null, 2)}\n`
    writeFileSync(settings, own)
    await other.connect()
    expect(readFileSync(settings, 'utf8')).toContain('"true"')
    expect(await other.cli(['uninstall', '--yes'])).toMatchObject({ code: 0 })
    expect(readFileSync(settings, 'utf8')).toBe(own)
  } finally {
    await other[Symbol.asyncDispose]()
  }
})

test('S1.3.9 files, commands and git state are captured', () => {
  const { digest } = getRow('session_end')
  for (const text of ['src/csv.ts', '`npm test` failed', '### Git']) expect(digest).toContain(text)
})

test('S1.3.10 remember over MCP and on the command line counts for the session', () => {
  expect(getRow('session_end').recent_remembers).toEqual([
    'The invoice printer accepts only A4 paper.',
    'The VAT id is printed in the footer.',
  ])
})

test('a hook payload of more than 1 MB is reduced, not dropped', async () => {
  const { session } = await startedSession(await product.aProject('large'))
  const log = 'line of a large log\n'.repeat(80_000)
  await session.prompt(`Sort these lines by date. ${log}Print the oldest first.`)
  await session.bash('npm test', { stdout: `${log}Tests  2 failed | 10 passed (12)` })
  await session.end()
  await hasRow(session.id, () => true, 'the checkpoint of the end')
  const [row] = await listBySession(session.id)
  for (const text of ['Sort these lines by date.', '10 passed, 2 failed']) expect(row?.digest).toContain(text)
  const events = JSON.stringify(await product.json(['events', 'list', '--session', session.id]))
  expect(events).toContain('Print the oldest first.')
})
