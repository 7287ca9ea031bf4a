import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acquireLock } from './lock.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const HOLD = `
  const name = Number.parseInt(process.versions.node) >= 24 ? 'node:sqlite' : '@photostructure/sqlite'
  const { DatabaseSync } = require(name)
  new DatabaseSync(process.argv[1]).exec('begin exclusive')
  console.log('held')
  setInterval(() => {}, 1000)
`

test('one holds it, the next does not, and gets it once it is let go', () => {
  const file = join(folder, 'run', 'lock.db')
  const first = acquireLock(file)
  expect(first).toBeDefined()
  expect(acquireLock(file)).toBeUndefined()
  expect(acquireLock(file)).toBeUndefined()
  first?.release()
  const second = acquireLock(file)
  expect(second).toBeDefined()
  second?.release()
})

test('another process holds it until it dies, however it dies', async () => {
  const file = join(folder, 'lock.db')
  const holder = spawn(process.execPath, ['-e', HOLD, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  expect(acquireLock(file)).toBeUndefined()
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const taken = acquireLock(file)
  expect(taken).toBeDefined()
  taken?.release()
})

test('its file is for its owner alone', () => {
  const file = join(folder, 'lock.db')
  acquireLock(file)?.release()
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('where no lock can be had it fails, and says what to do', () => {
  writeFileSync(join(folder, 'file'), '')
  const impossible = join(folder, 'file', 'lock.db')
  expect(() => acquireLock(impossible)).toThrow(expect.objectContaining({ code: 'store-unavailable' }))
  const garbage = join(folder, 'garbage.db')
  writeFileSync(garbage, 'not a database, and long enough to be read as one'.repeat(50))
  expect(() => acquireLock(garbage)).toThrow(
    expect.objectContaining({ hint: `Stop every Holdfast daemon, then delete ${garbage}.` }),
  )
})
