import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../platform/base/clock.ts'
import { findChecklist, getChecklist, markInFile } from './checklist-file.ts'
import { redactRecord } from '../redact-record.ts'
import { runVerification } from './mark-checklist-item.ts'
import { createTestRedactor } from '../../../../test/support/create-test-redactor.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-checklist-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('marking edits the file itself', async () => {
  writeFileSync(join(root, 'CHECKLIST.md'), '# A\r\n\r\n- [ ] one\r\n- [ ] two\r\n', { mode: 0o640 })
  await markInFile({ root, wanted: 'two', status: 'done' })
  expect(readFileSync(join(root, 'CHECKLIST.md'), 'utf8')).toBe('# A\r\n\r\n- [ ] one\r\n- [x] two\r\n')
  expect(statSync(join(root, 'CHECKLIST.md')).mode & 0o777).toBe(0o640)
  expect(getChecklist(root).items.map((item) => item.status)).toEqual(['pending', 'done'])
})

test('a file that is not UTF-8 is read, and never written', async () => {
  const bytes = Buffer.concat([Buffer.from('- [ ] caf'), Buffer.from([0xe9]), Buffer.from('\n- [ ] two\n')])
  writeFileSync(join(root, 'CHECKLIST.md'), bytes)
  expect(getChecklist(root).items).toHaveLength(2)
  await expect(markInFile({ root, wanted: 'two', status: 'done' })).rejects.toThrow('is not UTF-8')
  expect(readFileSync(join(root, 'CHECKLIST.md')).equals(bytes)).toBe(true)
})

test('a list behind a link inside the project is marked there; without a list the answer says so', async () => {
  expect(findChecklist(root)).toBeUndefined()
  expect(() => getChecklist(root)).toThrow('has no CHECKLIST.md')
  writeFileSync(join(root, 'list.md'), '- [ ] one\n')
  symlinkSync('list.md', join(root, 'CHECKLIST.md'))
  await markInFile({ root, wanted: 'one', status: 'in_progress' })
  expect(readFileSync(join(root, 'list.md'), 'utf8')).toBe('- [/] one\n')
})

const run = (command: string, expected?: string) =>
  runVerification({
    command,
    cwd: root,
    timeoutMs: 20_000,
    clock: systemClock,
    ...(expected !== undefined && { expect: expected }),
  })

test('a verification needs exit status 0 and the expected text', async () => {
  expect(await run('echo 12 passed', '12 passed')).toMatchObject({
    ok: true,
    exitStatus: 0,
    isMatched: true,
    output: '12 passed\n',
  })
  expect(await run('echo 11 passed', '12 passed')).toMatchObject({ ok: false, exitStatus: 0, isMatched: false })
  expect(await run('echo 12 passed; exit 3', '12 passed')).toMatchObject({ ok: false, exitStatus: 3 })
  expect(await run('kill -9 $$')).toMatchObject({ ok: false, endedBy: 'signal' })
})

test('a verification that does not end is ended, with its children', async () => {
  const result = await runVerification({ command: 'sleep 60 & wait', cwd: root, timeoutMs: 200, clock: systemClock })
  expect(result).toMatchObject({ ok: false, endedBy: 'timeout' })
})

test('what a record says is redacted and bounded', () => {
  const redactor = createTestRedactor((text) => text.replaceAll('hunter2', '***'))
  const at = '2026-01-01T00:00:00.000Z'
  const entry = { itemId: 'a', section: 'S', text: 't', status: 'done', by: 'cli', at } as const
  const run = {
    command: 'login hunter2',
    ok: true,
    exitStatus: 0,
    expect: 'hunter2',
    output: 'x hunter2',
    at,
    durationMs: 1,
  }
  expect(redactRecord({ ...entry, note: 'password hunter2', run }, redactor)).toEqual({
    ...entry,
    note: 'password ***',
    run: { ...run, command: 'login ***', expect: '***', output: 'x ***' },
  })
  expect(redactRecord({ ...entry, text: 'x'.repeat(9_000) }, redactor).text).toHaveLength(2_000)
})
