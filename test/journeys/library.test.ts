import { afterAll, beforeAll, expect, test } from 'vitest'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product } from '../support/product.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

let product: Product
let project = ''
let key = ''

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
  project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  key = session.id
  await session.start()
  await session.prompt('Fix the umlaut test of the slug module.')
  await session.tool('Bash', { command: 'npm test' }, { response: '1 failing' })
  await session.end()
})
afterAll(() => product[Symbol.asyncDispose]())

const json = async (...words: readonly string[]) => Object(await product.json(words, { cwd: project }))

test('a session is shown with its content, named, tagged, pinned, archived and opened again by its beginning', async () => {
  const prefix = key.slice(0, 8)
  const shown = await json('session', 'show', prefix)
  expect(shown.entries.map(({ kind, text }: Record<string, string>) => [kind, text])).toEqual(
    expect.arrayContaining([
      ['request', 'Fix the umlaut test of the slug module.'],
      ['command', expect.stringContaining('npm test')],
    ]),
  )
  await json('sessions', 'rename', prefix, 'Umlaut', 'work')
  await json('sessions', 'tag', prefix, 'a', 'b')
  await json('sessions', 'tag', prefix, '--remove', 'a')
  expect((await json('sessions', 'pin', prefix)).labels).toEqual({ title: 'Umlaut work', tags: ['b'], isPinned: true })
  await json('sessions', 'archive', prefix)
  expect(await json('sessions')).toEqual([])
  expect((await json('sessions', '--archived'))[0].labels.archivedAt).toBeTypeOf('string')
  await json('sessions', 'archive', prefix, '--undo')
  expect(await json('resume')).toMatchObject({ harness: 'claude-code', command: ['claude', '--resume', key] })
  const unknown = await product.cli(['sessions', 'show', 'zzzz'], { cwd: project })
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('holdfast sessions list') })
})

test('memories are listed, corrected, forgotten by text after a preview, and restored', async () => {
  const { id } = await json('remember', 'The slug module uses tabs.')
  await json('remember', 'The parser uses tabs.')
  const pinned = await json('remember', 'Deploys use tabs too.')
  await json('memories', 'edit', pinned.id, '--pin')
  const random = String(id).split('-').at(-1) ?? ''
  const edited = await json('memory', 'edit', random.slice(0, 6), 'The slug module uses two spaces and tabs.')
  expect(edited).toMatchObject({ supersedes: id })
  const shown = await json('memories', 'show', edited.id)
  expect(shown.history.map(({ content }: Record<string, string>) => content)).toEqual(['The slug module uses tabs.'])
  const preview = await json('memories', 'forget', '--all-matching', 'TABS', '--dry-run')
  expect(preview.wouldForget).toHaveLength(2)
  expect(await json('memories')).toHaveLength(3)
  await json('memories', 'forget', '--all-matching', 'TABS', '--yes')
  expect((await json('memories')).map((memory: Record<string, string>) => memory.id)).toEqual([pinned.id])
  await json('memories', 'restore', edited.id)
  expect(await json('memories')).toHaveLength(2)
  const ambiguous = await product.cli(['memories', 'show', 'mem-'], { cwd: project })
  expect(ambiguous).toMatchObject({ code: 1, stderr: expect.stringContaining(String(pinned.id)) })
})

test('a checkpoint is shown by a part of its id, and the old name of the family is accepted', async () => {
  const [first] = await json('checkpoints')
  const random = String(first.id).split('-').at(-1) ?? ''
  expect(await json('checkpoint', 'show', random.slice(0, 7))).toMatchObject({ id: first.id, sessionKey: key })
  expect(await json('checkpoint', 'list')).toEqual(await json('checkpoints', 'named'))
})

test('a project is switched off and on, and a setting is set, read and removed', async () => {
  const file = join(project, '.holdfast', 'config.json')
  expect(await json('off')).toMatchObject({ enabled: false })
  expect(existsSync(file)).toBe(true)
  expect(await json('on')).toMatchObject({ enabled: true })
  expect(existsSync(file)).toBe(false)
  await json('config', 'set', 'memory.maxPerPrompt', '2')
  expect(await json('config', 'get', 'memory.maxPerPrompt')).toMatchObject({ value: 2, origin: 'user' })
  const loosened = await product.cli(['config', 'set', '--project', 'memory.maxPerPrompt', '9'], { cwd: project })
  expect(loosened).toMatchObject({ code: 2, stderr: expect.stringContaining('tighten') })
  expect(existsSync(file)).toBe(false)
  expect(await json('config', 'unset', 'memory.maxPerPrompt')).toMatchObject({ value: 3, origin: 'default' })
  expect((await product.cli(['config', 'set', 'memory.inject', 'maybe'], { cwd: project })).code).toBe(2)
})

test('past sessions are found by their words in every project, and a project may opt out', async () => {
  const other = await product.aProject('other')
  const session = new ClaudeSession(product, other, { pid: product.anAgent() })
  await session.start()
  await session.prompt(
    'Investigate the flaky zebrafish pipeline. <private>The zebrafish password\nis a secret.</private>',
  )
  await session.end()
  for (const wrong of [['zebrafish', '--kind', 'nope'], ['zebrafish', '--since', '2026-02-30'], [' ']])
    expect((await product.cli(['find', ...wrong], { cwd: project })).code).toBe(2)
  const found = await json('find', 'zebrafish', 'pipeline', '--kind', 'request')
  expect(found.hits).toEqual([
    {
      kind: 'request',
      project: other,
      projectId: expect.any(String),
      session: session.id,
      harness: 'claude-code',
      at: expect.any(String),
      text: 'Investigate the flaky zebrafish pipeline. [REDACTED:private]',
      matched: ['zebrafish', 'pipeline'],
      ref: expect.any(String),
      reopen: expect.stringContaining(`claude --resume ${session.id}`),
    },
  ])
  expect(found.facets.kind).toEqual([{ value: 'request', label: 'request', count: 1 }])
  expect((await json('find', 'zebrafish', '--here')).hits).toEqual([])
  expect((await json('find', 'zebrafish', '--until', '2020')).hits).toEqual([])
  await product.json(['config', 'set', '--project', 'archive.enabled', 'false'], { cwd: other })
  await product.json(['daemon', 'stop'])
  expect((await json('find', 'zebrafish')).hits).toEqual([])
})

test('with memory.review = inbox, what an agent proposes waits for the user, whom the agent cannot replace', async () => {
  await json('config', 'set', '--project', 'memory.review', 'inbox')
  await product.json(['daemon', 'stop'])
  const agent = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: key }
  const proposed = await product.cli(['remember', 'The', 'walrus', 'service', 'needs', 'Redis.', '--json'], {
    cwd: project,
    env: agent,
  })
  const { id, isProposed } = Object(JSON.parse(proposed.stdout))
  expect(isProposed).toBe(true)
  expect(await json('recall', 'walrus')).toEqual([])
  const byAgent = await product.cli(['memories', 'approve', id], { cwd: project, env: agent })
  expect(byAgent).toMatchObject({ code: 1, stderr: expect.stringContaining('Only a person') })
  // A harness may mark its shell without naming the session.
  for (const mark of ['CLAUDECODE', 'OPENCODE', 'CURSOR_AGENT'])
    expect(await product.cli(['memories', 'reject', id], { cwd: project, env: { [mark]: '1' } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Only a person'),
    })
  expect(await json('memories', 'review')).toMatchObject([{ state: 'proposed', memory: { id } }])
  await json('memories', 'approve', id, 'The walrus service needs Valkey.')
  const approved = [{ memory: { content: 'The walrus service needs Valkey.' } }]
  expect(await json('recall', 'walrus')).toMatchObject(approved)
  const sandboxed = (...words: readonly string[]) =>
    product.cli(words, { cwd: project, env: { CODEX_SANDBOX: 'seatbelt' } })
  const said = await sandboxed('remember', 'The', 'heron', 'queue', 'is', 'full.', '--json')
  expect(JSON.parse(said.stdout)).toMatchObject({ isProposed: true })
  await sandboxed('remember', 'The', 'walrus', 'service', 'needs', 'a', 'Valkey.')
  const [{ memory }] = await json('recall', 'walrus')
  for (const words of [
    ['memories', 'edit', memory.id, 'The walrus service needs nothing.'],
    ['config', 'set', '--project', 'memory.review', 'off'],
    ['config', 'unset', '--project', 'memory.review'],
  ])
    expect(await sandboxed(...words)).toMatchObject({ code: 1, stderr: expect.stringContaining('Only a person') })
  expect(await json('recall', 'walrus')).toMatchObject(approved)
  await json('config', 'unset', '--project', 'memory.review')
})

test('after a session is erased, no byte of it is in the home, and the rest of the log is intact', async () => {
  const secret = 'quokkabramble'
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt(`Rename the ${secret} helper.`)
  await session.tool('Bash', { command: `grep -rn ${secret} src` }, { response: `src/a.ts: ${secret}` })
  await session.end()
  expect((await json('find', secret)).hits.length).toBeGreaterThan(0)
  const holders = () => listFiles(product.home).filter((file) => readFileSync(file).includes(secret))
  expect(holders().length).toBeGreaterThan(0)
  const preview = await json('erase', '--session', session.id, '--dry-run')
  expect(preview).toMatchObject({ sessions: 1, archive: expect.any(Number) })
  expect((await json('find', secret)).hits.length).toBeGreaterThan(0)
  const report = await json('erase', '--session', session.id.slice(0, 13), '--yes')
  expect(report).toEqual({ ...preview, backups: report.backups })
  expect(report.events).toBeGreaterThan(3)
  expect((await json('find', secret)).hits).toEqual([])
  expect((await product.cli(['sessions', 'show', session.id], { cwd: project })).code).toBe(1)
  expect(holders()).toEqual([])
  await product.json(['daemon', 'stop'])
  expect(holders()).toEqual([])
  await using store = await openSqliteStore({ file: join(product.home, 'data', 'holdfast.db') })
  expect(await store.verify()).toEqual([])
})

test('after a project is erased, no byte of its sessions and memories is in the home', async () => {
  const secret = 'axolotlgable'
  const other = await product.aProject('erased')
  const session = new ClaudeSession(product, other, { pid: product.anAgent() })
  await session.start()
  await session.prompt(`Rename the ${secret} helper.`)
  await session.end()
  await product.json(['remember', `The ${secret} helper is slow.`], { cwd: other })
  await product.json(['checkpoint', 'save', 'helper', '--task', `Rename ${secret}`], { cwd: other })
  const holders = () => listFiles(product.home).filter((file) => readFileSync(file).includes(secret))
  expect(holders().length).toBeGreaterThan(0)
  const misspelt = await product.cli(['projects', 'delete', 'no-such-folder', '--yes'], { cwd: project })
  expect(misspelt.code).toBe(1)
  const inside = join(project, 'src')
  expect((await product.cli(['projects', 'delete', '../no-such-folder', '--yes'], { cwd: inside })).code).toBe(1)
  expect((await product.cli(['erase', '--project', '', '--yes'], { cwd: project })).code).toBe(2)
  const report = Object(await product.json(['erase', '--project', other, '--yes'], { cwd: project }))
  expect(report).toMatchObject({ sessions: expect.any(Number), memories: 1 })
  expect(holders()).toEqual([])
  expect((await json('find', secret)).hits).toEqual([])
  await product.json(['daemon', 'stop'])
  expect(holders()).toEqual([])
})
