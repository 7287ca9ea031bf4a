import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createSessionState } from './session-state.ts'
import { createTestRedactor } from '../../../test/support/create-test-redactor.ts'

const redactor = createTestRedactor((text) => text.replaceAll('hunter2', '***'))
const read = createSessionState({ forWorktree: async () => redactor })

test('SESSION-STATE.md is read unchanged except for secrets, with its modification time', async () => {
  using dir = tempDir()
  const file = join(dir.path, 'SESSION-STATE.md')
  writeFileSync(file, '# State\n\n\tintent:  keep `a  b`\npassword hunter2  \r\n\n')
  utimesSync(file, 1_700_000_000, 1_700_000_000)
  expect(await read(dir.path)).toEqual({
    text: '# State\n\n\tintent:  keep `a  b`\npassword ***  ',
    modifiedAt: '2023-11-14T22:13:20.000Z',
  })
})

test('a missing file, a link out of the project, a folder and a large file are ignored', async () => {
  using dir = tempDir()
  expect(await read(dir.path)).toBeUndefined()
  const outside = join(dir.path, 'outside.md')
  writeFileSync(outside, 'not of this project')
  for (const [name, make] of [
    ['link', (at: string) => symlinkSync(outside, at)],
    ['folder', (at: string) => mkdirSync(at)],
    ['large', (at: string) => writeFileSync(at, 'x'.repeat(100_000))],
  ] as const) {
    const worktree = join(dir.path, name)
    mkdirSync(worktree)
    make(join(worktree, 'SESSION-STATE.md'))
    expect([name, await read(worktree)]).toEqual([name, undefined])
  }
  expect(await read(join(dir.path, 'no-such-folder'))).toBeUndefined()
})
