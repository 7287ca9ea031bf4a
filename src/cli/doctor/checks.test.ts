import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { resolveHome } from '../../platform/base/home.ts'
import { checkHome, checkQuarantine } from './checks.ts'

test('a home that can be written is sound, and the trial leaves nothing', () => {
  using dir = tempDir()
  chmodSync(dir.path, 0o700)
  const home = resolveHome({ HOLDFAST_HOME: dir.path })
  // A nearly full disk is a warning here, not a failure.
  expect(checkHome({ home })).toMatchObject({ subject: 'home', verdict: expect.stringMatching(/^(?:ok|warn)$/) })
  expect(readdirSync(dir.path)).toEqual([])
})

test('a home that others may read fails with what to do', () => {
  using dir = tempDir()
  chmodSync(dir.path, 0o755)
  const home = resolveHome({ HOLDFAST_HOME: dir.path })
  const advice = `Run \`chmod 700 ${dir.path}\`.`
  expect(checkHome({ home })).toEqual({
    subject: 'home',
    verdict: 'fail',
    detail: `${dir.path} is open to other users`,
    advice,
  })
})

test('what it tells to run can be pasted, whatever the home is called', () => {
  using dir = tempDir()
  const root = join(dir.path, "ada's home")
  mkdirSync(root, { mode: 0o755 })
  chmodSync(root, 0o755)
  const { advice = '' } = checkHome({ home: resolveHome({ HOLDFAST_HOME: root }) })
  execFileSync('/bin/sh', ['-c', /`(.*)`/.exec(advice)?.[1] ?? 'false'])
  expect((statSync(root).mode & 0o777).toString(8)).toBe('700')
})

// Permission binds nobody who is root; test/faults/read-only-home proves the read-only mount.
test.skipIf(process.getuid?.() === 0)('a home that may not be written is named', () => {
  using dir = tempDir()
  chmodSync(dir.path, 0o500)
  try {
    expect(checkHome({ home: resolveHome({ HOLDFAST_HOME: dir.path }) })).toMatchObject({
      verdict: 'fail',
      detail: `${dir.path} cannot be written: permission denied (EACCES)`,
    })
  } finally {
    chmodSync(dir.path, 0o700)
  }
})

test('a home that does not exist yet is not a failure', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'later') })
  expect(checkHome({ home }).verdict).toBe('warn')
})

test('what the store set aside is counted by databases, with the events that were lost', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: dir.path })
  expect(checkQuarantine({ home })).toBeUndefined()
  for (const name of ['a.db', 'a.db-wal', 'missing-events-3-7.json', 'notes.txt'])
    dir.write(join(relative(dir.path, home.quarantineDir), name), '')
  expect(checkQuarantine({ home })).toMatchObject({
    verdict: 'warn',
    detail: `1 damaged database set aside; events 3 to 7 are missing, in ${home.quarantineDir}`,
  })
})
