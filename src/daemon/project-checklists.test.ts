import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ProjectId } from '../core/id.ts'
import { createRedactor } from '../core/redaction/redactor.ts'
import { localFiles } from '../platform/files.ts'
import { homeOf } from '../platform/home.ts'
import { createProjectChecklists } from './project-checklists.ts'
import { createProjectCodemap } from './project-codemap.ts'
import { fakeClock, memoryLog } from './test-support.ts'

let folder = ''
let root = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-door-'))
  root = join(folder, 'project')
  mkdirSync(root)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function checklists() {
  return createProjectChecklists({
    home: homeOf({ HOLDFAST_HOME: join(folder, 'home') }),
    places: {
      locate: async () => ({ projectId: ProjectId('p'), project: root, projectNormalized: root, worktree: root }),
    },
    redactors: { forWorktree: async () => createRedactor() },
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

test('verified needs a command that holds', async () => {
  writeFileSync(join(root, 'CHECKLIST.md'), '- [ ] Ship\n')
  const verified = { item: 'Ship', status: 'verified' } as const
  await expect(checklists().mark(root, verified)).rejects.toMatchObject({ code: 'invalid-input' })
  const failing = { ...verified, verification: { command: 'exit 3' } }
  await expect(checklists().mark(root, failing)).rejects.toMatchObject({ code: 'conflict' })
  expect(readFileSync(join(root, 'CHECKLIST.md'), 'utf8')).toBe('- [ ] Ship\n')
  const proven = { ...verified, verification: { command: 'echo all fine', expect: 'fine' } }
  expect(await checklists().mark(root, proven)).toMatchObject({ status: 'verified' })
})

test('the index pair is read as it is: missing, half, or not of one piece', async () => {
  const projectCodemap = createProjectCodemap()
  expect(await projectCodemap.indexState(root)).toEqual({ text: '', pair: 'missing' })
  writeFileSync(join(root, 'PROJECT_INDEX.md'), '# Index\nGenerated: 2026-01-01T00:00:00.000Z\n')
  expect(await projectCodemap.indexState(root)).toMatchObject({ pair: 'no-json' })
  writeFileSync(join(root, 'PROJECT_INDEX.json'), '{ not json')
  expect(await projectCodemap.indexState(root)).toMatchObject({ pair: 'mismatched', detail: expect.any(String) })
  expect(await projectCodemap.symbols(root)).toEqual({ symbols: [] })
})
