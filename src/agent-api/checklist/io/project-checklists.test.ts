import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, afterEach, beforeEach, expect, test } from 'vitest'
import type { CodeInspector } from '../../../kernel/code-facts.ts'
import { createSourceInspector } from '../../../../test/support/source-inspector.ts'
import { ProjectId } from '../../../kernel/id.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import type { Store } from '../../../kernel/ports/ports.ts'
import { systemEntropy } from '../../../platform/base/crypto.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { resolveHome } from '../../../platform/base/home.ts'
import { openSqliteStore } from '../../../storage/sqlite/engine.ts'
import { createProjectChecklists } from './project-checklists.ts'
import { createProjectCodemap } from '../../../daemon/wiring/local-ports.ts'
import { fakeClock, memoryLog } from '../../../../test/support/daemon-setup.ts'
import { createVerificationGate, type VerificationGate } from './verification-gate.ts'

let folder = ''
let root = ''
let inspector: CodeInspector
let store: Store
beforeAll(async () => {
  inspector = await createSourceInspector()
})
beforeEach(async () => {
  store = await openSqliteStore({ file: ':memory:' })
  folder = mkdtempSync(join(tmpdir(), 'holdfast-door-'))
  root = join(folder, 'project')
  mkdirSync(root)
})
afterEach(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const anyCommand: VerificationGate = async () => undefined

function checklists(allowVerification = anyCommand) {
  return createProjectChecklists({
    allowVerification,
    inspector,
    home: resolveHome({ HOLDFAST_HOME: join(folder, 'home') }),
    locator: {
      locate: async () => ({ projectId: ProjectId('p'), project: root, projectNormalized: root, worktree: root }),
    },
    redactors: { forWorktree: async () => createRedactor() },
    store,
    entropy: systemEntropy,
    files: localFiles,
    clock: fakeClock(),
    log: memoryLog(),
  })
}

test('the list is read with notes and discrepancies, and marked in the file itself', async () => {
  expect(await checklists().read(root)).toBeUndefined()
  writeFileSync(join(root, 'CHECKLIST.md'), '# One\n- [x] Write auth.ts\n- [ ] Ship\n- [-] Dropped\n')
  writeFileSync(join(root, 'auth.ts'), 'export function verify() {\n  return true // TODO: implement\n}\n')
  await checklists().mark(root, { item: 'Ship', status: 'blocked', note: 'waits for keys', by: 's' })
  expect(readFileSync(join(root, 'CHECKLIST.md'), 'utf8')).toContain('- [~] Ship')
  const view = await checklists().read(root)
  expect(view?.path).toBe(join(root, 'CHECKLIST.md'))
  expect(view?.items.map(({ text, status, line, note }) => ({ text, status, line, note }))).toEqual([
    { text: 'Write auth.ts', status: 'done', line: 2, note: undefined },
    { text: 'Ship', status: 'blocked', line: 3, note: 'waits for keys' },
  ])
  expect(view?.discrepancies.map(({ text, because }) => [text, because.split(':')[0]])).toEqual(
    expect.arrayContaining([['Write auth.ts', 'auth.ts']]),
  )
})

test('verified needs a command that passes', async () => {
  writeFileSync(join(root, 'CHECKLIST.md'), '- [ ] Ship\n')
  const verified = { item: 'Ship', status: 'verified' } as const
  await expect(checklists().mark(root, verified)).rejects.toMatchObject({ code: 'invalid-input' })
  const failing = { ...verified, verification: { command: 'exit 3' } }
  await expect(checklists().mark(root, failing)).rejects.toMatchObject({ code: 'conflict' })
  expect(readFileSync(join(root, 'CHECKLIST.md'), 'utf8')).toBe('- [ ] Ship\n')
  const proven = { ...verified, verification: { command: 'echo all fine', expect: 'fine' } }
  expect(await checklists().mark(root, proven)).toMatchObject({ status: 'verified' })
})

test('a command that the gate refuses, or that comes with another status, is not run', async () => {
  writeFileSync(join(root, 'CHECKLIST.md'), '- [ ] Ship\n')
  const command = `echo ran > ${join(root, 'ran')}`
  const gate = createVerificationGate({
    allowed: ['npm test'],
    configFile: '/home/u/config.json',
    findDegradedTask: async () => undefined,
  })
  const verification = { command }
  await expect(checklists(gate).mark(root, { item: 'Ship', status: 'verified', verification })).rejects.toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('/home/u/config.json'),
  })
  for (const status of ['pending', 'in_progress', 'done', 'blocked'] as const)
    await expect(checklists().mark(root, { item: 'Ship', status, verification })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  expect(existsSync(join(root, 'ran'))).toBe(false)
  expect(readFileSync(join(root, 'CHECKLIST.md'), 'utf8')).toBe('- [ ] Ship\n')
  expect(await (await checklists().evidence(root)).list()).toEqual([])
  await checklists().mark(root, { item: 'Ship', status: 'verified', verification })
  expect(existsSync(join(root, 'ran'))).toBe(true)
})

test('a refusal says what the command did', async () => {
  writeFileSync(join(root, 'CHECKLIST.md'), '- [ ] Ship\n')
  const verification = { command: 'echo 11 passed', expect: '12 passed' }
  await expect(checklists().mark(root, { item: 'Ship', status: 'verified', verification })).rejects.toMatchObject({
    message: 'The item stays pending: `echo 11 passed` did not print "12 passed".',
    hint: 'Fix that, then mark it again. Output: 11 passed',
  })
})

test('a mark is stored as evidence: author, note, command and result, redacted', async () => {
  writeFileSync(join(root, 'CHECKLIST.md'), '- [ ] Ship\n')
  const secret = ['ghp', 'Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3d'].join('_')
  await checklists().mark(root, {
    item: 'Ship',
    status: 'verified',
    by: 'claude-code/one',
    note: `with ${secret}`,
    verification: { command: `echo ${secret} fine`, expect: 'fine' },
  })
  const [kept, ...more] = await (await checklists().evidence(root)).list()
  expect(more).toEqual([])
  expect(kept).toMatchObject({
    text: 'Ship',
    status: 'verified',
    by: 'claude-code/one',
    run: { ok: true, exitStatus: 0, expect: 'fine', isMatched: true },
  })
  expect(JSON.stringify(await store.listChecklistRecords({ projectId: ProjectId('p'), limit: 9 }))).not.toContain(
    secret,
  )
})

test('a file of an earlier version is imported once, and then gone', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const run = { command: 'npm test', ok: true, exitStatus: 0, output: 'ok', at, durationMs: 3 }
  const records = [
    { itemId: 'a', section: 'S', text: 't', status: 'done', note: 'n', by: 'cli', at },
    { itemId: 'a', section: 'S', text: 't', status: 'verified', by: 'claude-code/x', at, run },
  ]
  const file = join(folder, 'home', 'checklist', 'p.json')
  mkdirSync(join(folder, 'home', 'checklist'), { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ version: 1, records })
  writeFileSync(file, text)
  expect(await (await checklists().evidence(root)).list()).toEqual(records)
  expect(existsSync(file)).toBe(false)
  // As if the daemon had been killed between keeping and deleting.
  writeFileSync(file, text)
  expect(await (await checklists().evidence(root)).list()).toEqual(records)
  expect(existsSync(file)).toBe(false)
})

test('a damaged file of an earlier version stays where it is and stops nothing', async () => {
  const file = join(folder, 'home', 'checklist', 'p.json')
  mkdirSync(join(folder, 'home', 'checklist'), { recursive: true, mode: 0o700 })
  writeFileSync(file, '{ "version": 1, "rec')
  writeFileSync(join(root, 'CHECKLIST.md'), '- [ ] Ship\n')
  expect(await checklists().mark(root, { item: 'Ship', status: 'done' })).toMatchObject({ status: 'done' })
  expect(readFileSync(file, 'utf8')).toBe('{ "version": 1, "rec')
})

test('the index pair is read as it is: missing, half, or mismatched', async () => {
  const projectCodemap = createProjectCodemap()
  expect(await projectCodemap.indexState(root)).toEqual({ text: '', pair: 'missing' })
  writeFileSync(join(root, 'PROJECT_INDEX.md'), '# Index\nGenerated: 2026-01-01T00:00:00.000Z\n')
  expect(await projectCodemap.indexState(root)).toMatchObject({ pair: 'no-json' })
  writeFileSync(join(root, 'PROJECT_INDEX.json'), '{ not json')
  expect(await projectCodemap.indexState(root)).toMatchObject({ pair: 'mismatched', detail: expect.any(String) })
  expect(await projectCodemap.symbols(root)).toEqual({ symbols: [] })
})
