// S4, session-continuity-mcp: one test per row, named by its row.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { McpClient } from '../support/mcp-client.ts'
import { PATIENT, Product } from '../support/product.ts'

let product: Product
let pieces: string
let count = 0

beforeAll(async () => {
  product = new Product(PATIENT)
  pieces = join(product.dir, 'pieces.sqlite3')
  product.env.PIECES_DB_PATH = pieces
  await product.connect()
})
afterAll(async () => {
  await product[Symbol.asyncDispose]()
})

async function aProject(files: Readonly<Record<string, string>> = {}): Promise<string> {
  count += 1
  const project = await product.aProject(`shop-${count}`)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  return project
}

const connect = (cwd: string, sessionKey?: string) =>
  McpClient.connect(product, {
    transport: 'stdio',
    revision: '2025-11-25',
    cwd,
    ...(sessionKey !== undefined && { sessionKey }),
  })

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const ran = await product.run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd })
  if (ran.code !== 0) throw new Error(ran.stderr)
}

const Checklist = z.object({
  discrepancies: z.array(z.object({ text: z.string(), reason: z.string(), where: z.string() })),
  notLookedAt: z.array(z.object({ text: z.string(), because: z.string() })),
})

async function readDiscrepancies(project: string): Promise<readonly string[]> {
  const { discrepancies } = Checklist.parse(await product.json(['checklist'], { cwd: project }))
  return discrepancies.map(({ text, reason, where }) => `${text}: ${reason} ${where}`)
}

test('S4.5 the git section of a briefing shows a commit and a change made a moment before', async () => {
  const project = await aProject()
  await using client = await connect(project)
  await client.call('session_briefing', {})
  writeFileSync(join(project, 'src', 'parser.ts'), 'export const parse = 2\n')
  await git(project, 'commit', '-qam', 'second commit of all')
  expect((await client.call('session_briefing', {})).text).toContain('second commit of all')
  writeFileSync(join(project, 'src', 'parser.ts'), 'export const parse = 3\n')
  expect((await client.call('session_briefing', {})).text).toMatch(/1 changed|src\/parser\.ts/)
})

test('S4.13 the registry tells the definition of an entity from a call', async () => {
  const project = await aProject({
    'src/check.ts': 'const a = 1\nconst b = 2\nexport function check(x: string) {\n  return x\n}\n',
  })
  await using client = await connect(project)
  await client.json('register_entity', { name: 'check', entity_type: 'function', file: 'src/check.ts', line: 3 })
  writeFileSync(
    join(project, 'src', 'check.ts'),
    'const a = 1\nconst b = 2\ncheck("call")\nconst c = 3\nexport function check(x: string) {\n  return x\n}\n',
  )
  expect((await client.call('get_entity_registry', {})).text).toMatch(/"moved"[\s\S]*5|5[\s\S]*"moved"/)
})

test('4.13 again: a comment or a call is no definition, and a longer route is another one', async () => {
  const project = await aProject({
    'src/handle.go': 'package h\n\nfunc Handle(w int) int {\n\treturn w\n}\n',
    'src/routes.ts': "app.get('/users', list)\n",
  })
  await using client = await connect(project)
  await client.json('register_entity', { name: 'Handle', entity_type: 'function', file: 'src/handle.go', line: 3 })
  await client.json('register_entity', { name: '/users', entity_type: 'endpoint', file: 'src/routes.ts', line: 1 })
  writeFileSync(join(project, 'src', 'handle.go'), 'package h\n\n// Handle was here\nfunc x() { Handle(3) }\n')
  writeFileSync(join(project, 'src', 'routes.ts'), "app.get('/users/:id', one)\n\napp.get('/users', list)\n")
  const { entities } = z
    .object({ entities: z.array(z.object({ name: z.string(), state: z.string(), found_at: z.unknown().optional() })) })
    .parse(await client.json('get_entity_registry', {}))
  expect(entities.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: '/users', state: 'moved', found_at: { file: 'src/routes.ts', line: 3 } },
    { name: 'Handle', state: 'gone' },
  ])
})

test('S4.18 a write to an unknown project is refused, and the error names the known ones', async () => {
  const project = await aProject({ 'CHECKLIST.md': '- [ ] Ship it\n' })
  await using client = await connect(project)
  await client.json('register_project', { project_name: 'storefront', root_path: project })
  const writes: readonly (readonly [string, Record<string, unknown>])[] = [
    ['mark_checklist_item', { item_text: 'Ship it', status: 'done' }],
    ['save_session_summary', { summary: 'All done.' }],
    ['record_session_intent', { intent: 'Pay', files_to_touch: ['a.ts'], session_id: 's' }],
    ['register_entity', { name: 'pay', entity_type: 'function', file: 'a.ts' }],
    ['add_project_keyword', { keyword: 'pay' }],
  ]
  for (const name of ['payments-api', 'storefront-api'])
    for (const [tool, input] of writes) {
      const { isError, text } = await client.call(tool, { project_name: name, ...input })
      expect({ tool, isError, isNamed: text.includes('storefront') }).toEqual({ tool, isError: true, isNamed: true })
    }
  // Tools whose project is a directory: they must not write into the current one instead.
  for (const [tool, input] of [
    ['remember', { content: 'Pay by card.' }],
    ['session_digest', { summary: 'All done.' }],
    ['checkpoint_save', { name: 'pay-by-card', task: 'Pay by card' }],
  ] as const) {
    const { isError, text } = await client.call(tool, { project_name: 'payments-api', ...input })
    expect({ tool, isError, isNamed: text.includes('payments-api') }).toEqual({ tool, isError: true, isNamed: true })
  }
  expect(existsSync(join(project, 'memory'))).toBe(false)
  for (const tool of ['get_checklist', 'get_recent_sessions', 'get_entity_registry'])
    expect((await client.call(tool, { project_name: 'payments-api' })).text).toContain('No project has the name')
  expect((await client.call('session_briefing', { project_name: 'payments-api' })).text).toContain(
    'No project is named "payments-api"',
  )
  expect(readFileSync(join(project, 'CHECKLIST.md'), 'utf8')).toBe('- [ ] Ship it\n')
  expect((await client.call('mark_checklist_item', { project_name: 'Storefront', ...writes[0]?.[1] })).isError).toBe(
    false,
  )
})

test('4.18 again: a directory that is not there is refused, and a registered one that was removed is named as such', async () => {
  const project = await aProject()
  const removed = await aProject({ 'CHECKLIST.md': '- [ ] Ship it\n' })
  await using client = await connect(project)
  await client.json('register_project', { project_name: 'removed-shop', root_path: removed })
  rmSync(removed, { recursive: true })
  const nowhere = join(product.dir, 'nowhere')
  const mark = { item_text: 'Ship it', status: 'done' }
  for (const [tool, input] of [
    ['save_session_summary', { summary: 'All done.' }],
    ['record_session_intent', { intent: 'Pay', session_id: 's' }],
    ['remember', { content: 'Pay by card.' }],
    ['mark_checklist_item', mark],
    ['checkpoint_save', { name: 'pay-by-card' }],
    ['session_briefing', {}],
  ] as const)
    expect([tool, await client.refusal(tool, { project_name: nowhere, ...input })]).toEqual([
      tool,
      expect.objectContaining({ code: 'not-found', error: expect.stringContaining(nowhere) }),
    ])
  for (const [tool, input] of [
    ['mark_checklist_item', mark],
    ['checkpoint_save', { name: 'pay-by-card' }],
  ] as const)
    expect(await client.refusal(tool, { project_name: 'removed-shop', ...input })).toMatchObject({ code: 'not-found' })
  expect((await client.call('session_briefing', { project_name: 'removed-shop' })).text).toContain('NOT FOUND on')
})

test('4.18 once more: no file is written in the root of the file system or in a home folder that is not a repository', async () => {
  const home = product.env.HOME ?? ''
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'CHECKLIST.md'), '- [ ] Ship it\n')
  await using client = await connect(await aProject())
  const mark = { item_text: 'Ship it', status: 'done' }
  for (const [folder, what] of [
    ['/', 'the root of the file system'],
    [home, 'your home folder'],
  ] as const) {
    const refusal = expect.objectContaining({ code: 'invalid-input', error: expect.stringContaining(what) })
    expect(await client.refusal('checkpoint_save', { project_name: folder, name: 'pay-by-card' })).toEqual(refusal)
    const { code, stderr } = await product.cli(['checkpoint', 'save', 'pay-by-card'], { cwd: folder })
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/Run it in the folder of a project/)])
    expect(existsSync(join(folder, 'memory', 'checkpoints'))).toBe(false)
    expect((await product.cli(['index'], { cwd: folder })).stderr).toContain(what)
    expect((await product.cli(['task', 'new', 'pay'], { cwd: folder })).stderr).toContain(what)
  }
  expect(await client.refusal('mark_checklist_item', { project_name: home, ...mark })).toMatchObject({
    error: expect.stringContaining('your home folder'),
  })
  // What is stored only in Holdfast's own home is accepted anywhere.
  await client.json('remember', { project_name: home, content: 'The card reader is on port 7.' })
  await git(home, 'init', '-q')
  await client.json('mark_checklist_item', { project_name: home, ...mark })
  expect(readFileSync(join(home, 'CHECKLIST.md'), 'utf8')).toBe('- [x] Ship it\n')
  rmSync(home, { recursive: true })
})

const SCHEMA = `
create table session_intents(id integer primary key, project text not null, session_id text, intent text not null, files_to_touch text, started_at text not null, completed_at text, outcome text);
create table entity_registry(id integer primary key, project not null, name not null, type not null, file not null, line integer, last_seen text, unique(project,name,type));
create table checklist_cache(project not null, item_id not null, status default 'pending', note, updated_at, primary key(project,item_id));
create table project_registry(name primary key, root_path not null, added_at not null);
create table project_keywords(project not null, keyword not null, primary key(project,keyword));
create table session_summaries(id integer primary key, project not null, session_id, summary not null, files_changed, entities_registered, checklist_progress, saved_at not null);
`

function aContextDb(path: string, root: string): void {
  const database = openDatabase(path)
  database.exec(SCHEMA)
  const at = '2025-11-01T10:00:00.000000+00:00'
  database.prepare('insert into project_registry values (?, ?, ?)').run('old-shop', root, at)
  database.prepare('insert into project_keywords values (?, ?)').run('old-shop', 'oldshop')
  database
    .prepare('insert into session_summaries values (1, ?, ?, ?, ?, ?, ?, ?)')
    .run('old-shop', 'session_1', 'Chose SEPA over cards.', '["src/pay.ts"]', '[]', '{}', at)
  database
    .prepare('insert into session_intents values (1, ?, ?, ?, ?, ?, null, null)')
    .run('old-shop', 'session_1', 'Write the SEPA export', '["src/sepa.ts"]', at)
  database
    .prepare('insert into entity_registry values (1, ?, ?, ?, ?, ?, ?)')
    .run('old-shop', 'parse', 'constant', 'src/parser.ts', 1, at)
  database.close()
}

test('S4.22 an existing context.db is taken over once, by --from or by CONTEXT_DB_PATH', async () => {
  const project = await aProject()
  const file = join(product.dir, 'context.db')
  aContextDb(file, project)
  expect(await product.json(['import', '--from', file])).toEqual({
    from: file,
    projects: 1,
    intents: 1,
    summaries: 1,
    entities: 1,
    skipped: [],
  })
  const again = await product.cli(['import', '--json'], { env: { CONTEXT_DB_PATH: file } })
  expect(JSON.parse(again.stdout)).toMatchObject({ from: file, projects: 1, intents: 0, summaries: 0 })
  await using client = await connect(project)
  const { text } = await client.call('session_briefing', { project_name: 'old-shop' })
  expect(text).toContain('Chose SEPA over cards.')
  expect(text).toContain('parse')
  const missing = await product.cli(['import'], { env: { CONTEXT_DB_PATH: '/nowhere/context.db' } })
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere/context.db') })
})

const SUMMARIES = String.raw`kv_.workstream\Summaries::workstream\Summaries\Full\Text\Search\Index_content`

test('S4.23 PIECES_DB_PATH reaches the daemon, whichever process started it', async () => {
  const project = await aProject()
  rmSync(pieces, { force: true })
  const database = openDatabase(pieces)
  database.exec(`create table "${SUMMARIES}"(docid integer primary key, c0name text)`)
  database.prepare(`insert into "${SUMMARIES}" values (1, ?)`).run(`Reviewed ${project.split('/').at(-1)} invoices`)
  database.close()
  await using client = await connect(project)
  expect((await client.call('get_recent_sessions', {})).text).toContain('invoices')
  rmSync(pieces)
})

test('4.23 again: a PIECES_DB_PATH that only the entry of an MCP client has is used, though the daemon runs already', async () => {
  const project = await aProject()
  const file = join(product.dir, 'other-pieces.db')
  writeFileSync(file, 'this is not a database, and long enough to be taken for one'.repeat(50))
  const given = product.env.PIECES_DB_PATH
  product.env.PIECES_DB_PATH = file
  try {
    await using client = await connect(project)
    expect((await client.call('get_recent_sessions', {})).text).toContain('Pieces query error')
  } finally {
    product.env.PIECES_DB_PATH = given
    await using client = await connect(project)
    expect((await client.call('get_recent_sessions', {})).text).not.toContain('Pieces query error')
  }
})

test('S4.25 a Pieces database that cannot be read is named as such', async () => {
  const project = await aProject()
  writeFileSync(pieces, 'this is not a database, and long enough to be taken for one'.repeat(50))
  await using client = await connect(project)
  expect((await client.call('get_recent_sessions', {})).text).toContain('Pieces query error')
  expect((await client.call('session_briefing', {})).text).toContain('Pieces query error')
  rmSync(pieces)
})

test('S4.34 Roo Code gets its entry in every edition of the editor, and Windsurf-next too', async () => {
  const user = product.env.HOME ?? ''
  const windsurf = join(user, '.codeium', 'windsurf-next')
  const roo = (editor: string) =>
    join(
      user,
      '.config',
      editor,
      'User',
      'globalStorage',
      'rooveterinaryinc.roo-cline',
      'settings',
      'mcp_settings.json',
    )
  for (const folder of [windsurf, dirname(roo('Code - Insiders')), dirname(roo('VSCodium'))])
    mkdirSync(folder, { recursive: true })
  for (const harness of ['windsurf', 'roo'])
    expect(await product.cli(['init', '--harness', harness, '--yes'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(windsurf, 'mcp_config.json'), 'utf8')).toContain('holdfast')
  for (const editor of ['Code - Insiders', 'VSCodium']) expect(readFileSync(roo(editor), 'utf8')).toContain('holdfast')
  expect(existsSync(roo('Code'))).toBe(false)
})

test('S4.41 the phase of a session that edits is inferred, and its briefing after a compaction is the current task', async () => {
  const project = await aProject({ 'CHECKLIST.md': '# Plan\n- [x] Read\n- [/] Write the cart total\n- [ ] Later\n' })
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Write the cart total.')
  await session.edit('src/cart.ts', '', 'export const total = 1\n')
  const injected = (await session.compact()) || (await session.prompt('go on'))
  expect(injected).toContain('## Current task (CHECKLIST.md, phase CODE)')
  expect(injected).toContain('in_progress: Write the cart total [Plan, line 3]')
  await using client = await connect(project, session.id)
  // The checkpoint of the compaction is composed after its hook was answered.
  const brief = async () => (await client.call('session_briefing', {})).text
  await expect.poll(brief, { timeout: 20_000, interval: 200 }).toContain('phase CODE')
  const text = await brief()
  expect(text).toContain('Write the cart total')
  expect(text).not.toContain('Recent Git History')
})

const SEED = {
  'src/auth.ts': `export class Auth {
  async verifyToken(token: string): Promise<boolean> { return true }
}
const API_URL = 'http://localhost:3000'
// TODO: add rate limiting
`,
  'src/auth.test.ts':
    "import { Auth } from './auth'\njest.mock('./auth')\ntest('a', () => { expect(new Auth()).toBe(true) })\n",
}

test("S4.43 the seed's own checklist: items that name no file", async () => {
  const list = '- [X] Implement authentication\n- [X] Add token verification\n- [X] Write auth tests\n'
  const project = await aProject({ ...SEED, 'CHECKLIST.md': list })
  const found = await readDiscrepancies(project)
  for (const item of ['Implement authentication', 'Add token verification', 'Write auth tests'])
    expect(found.filter((line) => line.startsWith(item))).not.toEqual([])
  await using client = await connect(project)
  const { text } = await client.call('get_checklist', {})
  expect(text).toContain('verifyToken only returns true')
  expect((await client.call('session_briefing', {})).text).toContain('verifyToken only returns true')
})

async function expectStub(path: string, stub: string): Promise<void> {
  const project = await aProject({ [path]: stub, 'CHECKLIST.md': '- [x] Charge the card\n- [x] Parse lines\n' })
  expect(await readDiscrepancies(project)).toEqual([expect.stringMatching(`^Charge the card: stub ${path}`)])
}

test('S4.44 "ship it" in TypeScript: a stub is found, written code is not', async () => {
  await expectStub('src/pay.ts', 'export const chargeCard = async (card: Card) => { throw new Error("TODO") }\n')
})

test('S4.45 "ship it" in Python: a stub is found, written code is not', async () => {
  await expectStub('app/pay.py', 'def charge_card(card):\n    """Charge it."""\n    return True\n')
})

test('S4.46 "ship it" in Go, Java and Rust: a stub is found, written code is not', async () => {
  await expectStub(
    'pay/pay.go',
    'package pay\n\nfunc ChargeCard(card Card) error { return errors.New("not implemented") }\n',
  )
  await expectStub(
    'src/main/java/Pay.java',
    'class Pay { Receipt chargeCard(Card card) { throw new UnsupportedOperationException("Not implemented yet"); } }\n',
  )
  await expectStub('src/pay.rs', 'pub fn charge_card(card: &Card) -> Result<(), Error> { todo!() }\n')
})

test('43 again: what could not be looked at is said, in the list and in the briefing', async () => {
  const list = '- [x] Start page in app/Main.kt\n- [x] Totals in src/gone.ts\n'
  const project = await aProject({ 'app/Main.kt': 'fun main() = TODO()\n', 'CHECKLIST.md': list })
  expect(await readDiscrepancies(project)).toEqual(['Totals in src/gone.ts: missing-file src/gone.ts'])
  const { notLookedAt } = Checklist.parse(await product.json(['checklist'], { cwd: project }))
  expect(notLookedAt.map(({ because }) => because)).toContain('app/Main.kt: its language is not supported')
  await using client = await connect(project)
  expect((await client.call('session_briefing', {})).text).toContain('could not be compared with code')
})

test('a command over MCP is refused unless the user allowed it', async () => {
  const project = await aProject({ 'CHECKLIST.md': '- [ ] Ship it\n' })
  await using client = await connect(project)
  const asked = { item_text: 'Ship it', status: 'verified', verify_command: 'touch PWNED' }
  expect((await client.call('mark_checklist_item', asked)).isError).toBe(true)
  expect(existsSync(join(project, 'PWNED'))).toBe(false)
})

const root = join(import.meta.dirname, '..', '..')
const readText = (...path: readonly string[]) => readFileSync(join(root, ...path), 'utf8')
/** Parsed anew by each test: answers are asserted field by field. */
const Answer = z.record(z.string(), z.unknown())
const CHECKLIST = '# Plan\n- [ ] Pending\n- [/] Started\n- [X] Finished\n- [>] Also started\n- [~] Stuck\n✅ Proven\n'

async function withClient<T>(
  files: Readonly<Record<string, string>>,
  run: (client: McpClient, project: string) => Promise<T>,
): Promise<T> {
  const project = await aProject(files)
  await using client = await connect(project)
  return await run(client, project)
}

test('S4.1 the server speaks MCP over stdio and answers ping', () =>
  withClient({}, async ({ client }) => {
    expect(client.getServerVersion()).toMatchObject({ name: 'holdfast' })
    expect(await client.ping()).toEqual({})
  }))

const TOOLS = [
  ...['session_briefing', 'save_session_summary', 'get_checklist', 'mark_checklist_item', 'record_session_intent'],
  ...['complete_session_intent', 'get_recent_sessions', 'get_entity_registry', 'register_entity', 'search_history'],
  ...['register_project', 'add_project_keyword', 'list_projects'],
]

test('S4.2 the thirteen tools answer by their names', () =>
  withClient({ 'CHECKLIST.md': CHECKLIST }, async (client) => {
    for (const name of TOOLS) {
      const { text } = await client.call(name, {})
      expect([name, text.includes('Unknown tool')]).toEqual([name, false])
    }
  }))

test('S4.3 different: an error is text like any other: it is marked with isError, has a code and says what to do', () =>
  withClient({}, async (client) => {
    expect(await client.refusal('register_project', { project_name: 'x' })).toMatchObject({
      error: expect.anything(),
    })
  }))

test('S4.4 a briefing has the index, git, checklist, intents, summaries, Pieces and entities', () =>
  withClient({ 'CHECKLIST.md': CHECKLIST }, async (client) => {
    const { text } = await client.call('session_briefing', {})
    for (const title of ['Project Index', 'Recent Git History', 'CHECKLIST Status', 'Session Intents'])
      expect(text).toContain(title)
    for (const title of ['Saved Session Summaries', 'Pieces LTM', 'Named Entity Registry', 'Key Reminders'])
      expect(text).toContain(title)
  }))

test('S4.6 what an agent says is labelled claimed, not observed', () =>
  withClient({}, async (client) => {
    await client.json('session_digest', { session_id: 'liar-1', summary: 'All 40 tests pass. It is production-ready.' })
    const { text } = await client.call('session_briefing', {})
    expect(text).toMatch(/liar-1 claimed/)
    expect(text).not.toMatch(/liar-1 observed/)
  }))

test('S4.7 a summary is stored, and what was observed last refutes it', async () => {
  const project = await aProject()
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Make the tests pass.')
  await session.bash('npm test', { stdout: '5 passed' })
  await session.bash('npm test', { error: 'Exit code 1\n1 failed' })
  await using client = await connect(project, session.id)
  const save = async (summary: string) => Answer.parse(await client.json('save_session_summary', { summary })).doubts
  expect(await save('All tests pass.')).not.toEqual([])
  await session.bash('npm test', { stdout: '5 passed' })
  expect(await save('All tests pass.')).toEqual([])
})

test('4.7 again: git tells of a commit that a summary names, and what nobody observed is not called refuted', async () => {
  const project = await aProject()
  await using client = await connect(project, 'committer')
  const save = async (summary: string) => Answer.parse(await client.json('save_session_summary', { summary })).doubts
  const { stdout } = await product.run('git', ['rev-parse', '--short', 'HEAD'], { cwd: project })
  expect(await save(`Committed as ${stdout.trim()}.`)).toEqual([])
  expect(await save('Committed as abc1234.')).toEqual(['"Committed as abc1234.": git has no commit abc1234'])
  expect(await save('Deployed to production.')).toEqual(['"Deployed to production.": no deployment was observed'])
  const { text } = await client.call('session_briefing', {})
  for (const line of [
    '! refuted: "Committed as abc1234."',
    '! not observed: "Deployed to production."',
    '1 statement below (marked "! refuted")',
  ])
    expect(text).toContain(line)
})

test('S4.8 get_checklist groups the items by status', () =>
  withClient({ 'CHECKLIST.md': CHECKLIST }, async (client) => {
    const answer = Answer.parse(await client.json('get_checklist'))
    expect(answer.total).toBe(6)
    expect(Object.keys(Answer.parse(answer.by_status))).toEqual(
      expect.arrayContaining(['verified', 'done', 'in_progress', 'blocked', 'pending']),
    )
  }))

test('S4.9 mark_checklist_item changes the status of an item, with a note', () =>
  withClient({ 'CHECKLIST.md': CHECKLIST }, async (client, project) => {
    const marked = await client.json('mark_checklist_item', { item_text: 'Pending', status: 'done', note: 'by hand' })
    expect(marked).toMatchObject({ ok: true, status: 'done' })
    expect(readFileSync(join(project, 'CHECKLIST.md'), 'utf8')).toContain('- [X] Pending\n')
    expect((await client.call('mark_checklist_item', { item_text: 'Pending', status: 'gone' })).isError).toBe(true)
  }))

test('S4.10 an intent is recorded, and a conflict with another one is reported', () =>
  withClient({}, async (client) => {
    const record = (id: string) => {
      const files = ['src/parser.ts', `src/${id}.ts`]
      return client.call('record_session_intent', { intent: `work ${id}`, files_to_touch: files, session_id: id })
    }
    await record('one')
    expect((await record('two')).text).toMatch(/conflict[\s\S]*src\/parser\.ts/i)
  }))

test('S4.11 an intent is completed with its outcome; an unknown one is an error', () =>
  withClient({}, async (client) => {
    await client.json('record_session_intent', { intent: 'Pay', session_id: 'payer' })
    expect(await client.json('complete_session_intent', { session_id: 'payer', outcome: 'paid' })).toMatchObject({
      ok: true,
    })
    expect((await client.call('complete_session_intent', { session_id: 'nobody' })).isError).toBe(true)
  }))

test('S4.12 get_recent_sessions lists intents, newest first, as completed or incomplete', () =>
  withClient({}, async (client) => {
    for (const id of ['older', 'newer']) await client.json('record_session_intent', { intent: id, session_id: id })
    await client.json('complete_session_intent', { session_id: 'older', outcome: 'done' })
    expect(Answer.parse(await client.json('get_recent_sessions')).recorded_intents).toMatchObject([
      { intent: 'newer', status: 'incomplete' },
      { intent: 'older', status: 'completed', outcome: 'done' },
    ])
  }))

test('S4.14 register_entity stores and updates where a name is', () =>
  withClient({}, async (client) => {
    const entity = { name: 'parse', entity_type: 'constant', file: 'src/parser.ts' }
    await client.json('register_entity', { ...entity, line: 9 })
    expect(await client.json('register_entity', { ...entity, line: 1 })).toMatchObject({ ok: true, line: 1 })
    const { text } = await client.call('get_entity_registry', { name: 'parse' })
    expect(text).toContain('"holds"')
  }))

test('S4.15 search_history finds what was saved', () =>
  withClient({}, async (client) => {
    await client.json('save_session_summary', { summary: 'Chose SEPA over cards.', session_id: 'past' })
    expect((await client.call('search_history', { query: 'SEPA' })).text).toContain('Chose SEPA over cards.')
  }))

test('S4.16 a project is registered under a name and listed', () =>
  withClient({}, async (client, project) => {
    await client.json('register_project', { project_name: 'listed-shop', root_path: project })
    const { text } = await client.call('list_projects')
    for (const words of ['listed-shop', project]) expect(text).toContain(words)
    const missing = { project_name: 'no-shop', root_path: join(project, 'missing') }
    expect((await client.call('register_project', missing)).isError).toBe(true)
  }))

test('S4.17 keywords are added to a project, in lower case', () =>
  withClient({}, async (client, project) => {
    await client.json('register_project', { project_name: 'keyed-shop', root_path: project })
    const added = await client.json('add_project_keyword', { project_name: 'keyed-shop', keyword: 'MyShop' })
    expect(added).toMatchObject({ ok: true, all_keywords: ['myshop'] })
  }))

async function readStatuses(text: string): Promise<readonly string[]> {
  return withClient({ 'CHECKLIST.md': text }, async (client) => {
    const { items } = z
      .object({ items: z.array(z.object({ text: z.string(), status: z.string() })) })
      .parse(await client.json('get_checklist'))
    return items.map((item) => `${item.text}: ${item.status}`)
  })
}

test('S4.19 the four states of the checklist are read', async () => {
  expect(await readStatuses('- [ ] a\n- [/] b\n- [X] c\n- [x] d\n✅ e\n')).toEqual([
    ...['a: pending', 'b: in_progress', 'c: done', 'd: done', 'e: verified'],
  ])
})

test('S4.20 the markers [>] and [~] are read', async () => {
  expect(await readStatuses('- [>] a\n- [~] b\n')).toEqual(['a: in_progress', 'b: blocked'])
})

test('S4.21 CHECKLIST.md is the only checklist: a mark edits it, and an edit is read', () =>
  withClient({ 'CHECKLIST.md': '- [ ] Ship it\n' }, async (client, project) => {
    await client.json('mark_checklist_item', { item_text: 'Ship it', status: 'in_progress' })
    expect(readFileSync(join(project, 'CHECKLIST.md'), 'utf8')).toBe('- [/] Ship it\n')
    writeFileSync(join(project, 'CHECKLIST.md'), '- [x] Ship it\n')
    expect((await client.call('get_checklist')).text).toContain('"done"')
  }))

test('S4.24 without Pieces everything else works', () =>
  withClient({}, async (client) => {
    expect(Answer.parse(await client.json('get_recent_sessions')).pieces_sessions).toEqual([])
  }))

function expectSkill(name: string, ...words: readonly string[]): void {
  for (const word of words) expect(readText('skills', name, 'SKILL.md')).toContain(word)
}

test('S4.26 /sesh:briefing calls session_briefing', () => expectSkill('sesh-briefing', 'session_briefing'))
test('S4.27 /sesh:intent records the intent and stops at conflicts', () =>
  expectSkill('sesh-intent', 'record_session_intent', 'Any: stop.'))
test('S4.28 /sesh:save saves a summary', () => expectSkill('sesh-save', 'save_session_summary'))
test('S4.29 /sesh:done saves, marks, registers and completes', () =>
  expectSkill('sesh-done', 'save_session_summary', 'mark_checklist_item', 'register_entity', 'complete_session_intent'))

test('S4.30 the snippet has the three conditions of the guard with the phases', () => {
  const snippet = readText('skills', 'snippet.md')
  for (const words of ['session_briefing', 'MAP, ARCHITECT or PLAN', 'CODE', '`phase`'])
    expect(snippet).toContain(words)
})

test("S4.31 a bootstrap directive (`init --with bootstrap`) makes agents offer the snippet for each project's CLAUDE.md, and add it after a yes", async () => {
  await using machine = new Product(PATIENT)
  const instructions = join(machine.claudeDir, 'CLAUDE.md')
  const read = () => readFileSync(instructions, 'utf8')
  const init = (...words: readonly string[]) => machine.cli(['init', '--harness', 'claude-code', '--yes', ...words])
  writeFileSync(instructions, '# Mine')
  const offer = /Not added: bootstrap: .* \(\d+ characters in every session\)/
  expect(await init()).toMatchObject({ code: 0, stdout: expect.stringMatching(offer) })
  expect(read()).toBe('# Mine')

  expect(await init('--with', 'bootstrap')).toMatchObject({ code: 0 })
  const added = read()
  expect(added.split('<!-- session-continuity-bootstrap -->')).toHaveLength(2)
  expect(added).toContain('Change nothing before the user says yes.')
  expect(await init('--with', 'bootstrap')).toMatchObject({ code: 0 })
  expect(read()).toBe(added)
  const block = added.slice('# Mine\n\n'.length)
  expect(await machine.json(['cost'])).toMatchObject({
    parts: expect.arrayContaining([{ name: 'bootstrap', chars: block.length }]),
  })
  expect((await machine.cli(['status'])).stdout).toContain('claude-code (user): hooks, mcp, bootstrap')
  expect((await machine.cli(['doctor'])).stdout).toMatch(/claude-code bootstrap.*up to date/)

  // The command that the block names, as an agent would run it after a yes.
  const project = await machine.aProject('shop')
  const command = /^ {4}holdfast (.*)$/m.exec(block)?.[1]?.split(' ') ?? []
  expect(await machine.cli(command, { cwd: project })).toMatchObject({ code: 0 })
  expect(readFileSync(join(project, 'CLAUDE.md'), 'utf8')).toContain('## Session continuity (Holdfast)')
  expect((await machine.run('git', ['status', '--short'], { cwd: project })).stdout).toBe('?? CLAUDE.md\n')

  expect(await machine.cli(['uninstall', '--all', '--yes'])).toMatchObject({ code: 0 })
  expect(read()).toBe('# Mine')
  const theirs = '<!-- session-continuity-bootstrap -->\nAppend it.\n<!-- /session-continuity-bootstrap -->\n'
  writeFileSync(instructions, theirs)
  expect(await init('--with', 'bootstrap')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('has a block `session-continuity-bootstrap` of another program'),
  })
  expect(read()).toBe(theirs)
})

test('S4.32 Claude Code gets its MCP entry', async () => {
  const { stdout } = await product.cli(
    ['init', '--harness', 'claude-code', '--dry-run', '--json', '--scope', 'project'],
    {
      cwd: await aProject(),
    },
  )
  expect(stdout).toContain('mcpServers')
})

test('S4.33 Windsurf-next gets its entry beside Windsurf', async () => {
  const folder = join(product.env.HOME ?? '', '.codeium', 'windsurf-next')
  mkdirSync(folder, { recursive: true })
  expect(await product.cli(['init', '--harness', 'windsurf', '--yes'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'mcp_config.json'), 'utf8')).toContain('holdfast')
})

test('S4.35 Codex CLI gets its entry in config.toml', async () => {
  const { stdout } = await product.cli(['init', '--harness', 'codex', '--dry-run'])
  expect(stdout).toContain('[mcp_servers.holdfast]')
})

test('S4.36 Gemini CLI gets its entry', async () => {
  const { stdout } = await product.cli(['init', '--harness', 'gemini-cli', '--dry-run'])
  expect(stdout).toContain('mcpServers')
})

test('S4.37 different: the index is regenerated at every step: agents only read it, an operator or the daemon writes it', () =>
  withClient({}, async (client, project) => {
    await client.call('session_briefing', {})
    expect(existsSync(join(project, 'PROJECT_INDEX.md'))).toBe(false)
    await product.json(['index'], { cwd: project })
    expect((await client.call('session_briefing', {})).text).toContain('src/parser.ts')
  }))

test('S4.38 a missing or mismatched index pair says what the user should run', () =>
  withClient({}, async (client, project) => {
    expect((await client.call('session_briefing', {})).text).toMatch(/holdfast index/)
    await product.json(['index'], { cwd: project })
    writeFileSync(join(project, 'PROJECT_INDEX.json'), '{"meta":{"generated":"2001-01-01T00:00:00Z"}}')
    expect((await client.call('session_briefing', {})).text).toMatch(/mismatch|differ|2001/)
  }))

test('S4.39 guard: a session without a briefing gets the whole one', () =>
  withClient({ 'CHECKLIST.md': CHECKLIST }, async (client) => {
    expect((await client.call('session_briefing', {})).text).toContain('Recent Git History')
  }))

test('S4.40 guard: after a compaction in MAP, ARCHITECT or PLAN the whole briefing comes again', async () => {
  const project = await aProject({ 'CHECKLIST.md': CHECKLIST })
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Plan the cart.')
  await using client = await connect(project, session.id)
  await client.call('session_briefing', { phase: 'PLAN' })
  const injected = (await session.compact()) || (await session.prompt('go on'))
  expect(injected).toContain('compacted in the phase PLAN: call session_briefing')
  expect((await client.call('session_briefing', { after_compaction: true })).text).toContain('Recent Git History')
})

test('S4.42 every checkpoint also saves what the session was about', async () => {
  const project = await aProject()
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Write the cart total in src/cart.ts.')
  await session.edit('src/cart.ts', '', 'export const total = 1\n')
  await session.end()
  await using client = await connect(project)
  const recent = async () => Answer.parse(await client.json('get_recent_sessions')).checkpoints
  await expect
    .poll(recent, { timeout: 30_000, interval: 300 })
    .toMatchObject([{ session_id: session.id, evidence: 'observed', summary: 'Write the cart total in src/cart.ts.' }])
})

test('S4.47 an interrupted session: the next one knows what was half built', async () => {
  const project = await aProject()
  const pid = product.anAgent()
  const session = new ClaudeSession(product, project, { pid })
  await session.start()
  await session.prompt('Build UserAuth in src/auth.ts with five methods.')
  await session.edit('src/auth.ts', '', 'export class UserAuth {}\n')
  await product.kill(pid)
  const next = new ClaudeSession(product, project, { pid: product.anAgent() })
  const injected = (await next.start()) || (await next.prompt('go on'))
  for (const words of ['Build UserAuth in src/auth.ts', 'src/auth.ts']) expect(injected).toContain(words)
})

test('S4.48 the shallow spelunker: the registry names every definition of a name', () =>
  withClient(
    { 'src/auth.ts': 'export class Auth {}\n', 'lib/auth/index.ts': 'export class Auth { ok = 1 }\n' },
    async (client, project) => {
      await product.json(['index'], { cwd: project })
      const { text } = await client.call('get_entity_registry', { name: 'Auth' })
      for (const file of ['src/auth.ts', 'lib/auth/index.ts']) expect(text).toContain(file)
    },
  ))

test('S4.49 tunnel vision: while coding only the current task with its details is returned', async () => {
  const list =
    '# Plan\n- [x] Read\n- [/] Write verifyToken in src/auth.ts\n  Signature: verifyToken(token: string)\n- [ ] Later\n'
  await withClient({ 'CHECKLIST.md': list }, async (client) => {
    const { text } = await client.call('session_briefing', { phase: 'CODE', after_compaction: true })
    for (const words of ['Write verifyToken in src/auth.ts', 'Signature: verifyToken']) expect(text).toContain(words)
    for (const words of ['Recent Git History', 'Later']) expect(text).not.toContain(words)
  })
})

test('S4.50 a summary is saved before its intent is completed, in one call', () =>
  withClient({}, async (client) => {
    await client.json('record_session_intent', { intent: 'Pay', session_id: 'closing' })
    await client.json('save_session_summary', { summary: 'Paid.', session_id: 'closing', outcome: 'paid' })
    const recent = Answer.parse(await client.json('get_recent_sessions'))
    expect(recent.recorded_intents).toMatchObject([{ status: 'completed', outcome: 'paid' }])
    expect(recent.summaries).toMatchObject([{ summary: 'Paid.' }])
  }))
