import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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

test('one process holds it, and the next gets it once it is released', () => {
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

/** Takes the first step of the lock, as another process does, and releases it a moment later. */
const STEP = `
  const name = Number.parseInt(process.versions.node) >= 24 ? 'node:sqlite' : '@photostructure/sqlite'
  const { DatabaseSync } = require(name)
  const database = new DatabaseSync(process.argv[1])
  database.exec('begin; select * from sqlite_schema')
  console.log('reading')
  process.stdin.once('data', () => setTimeout(() => database.close(), 20))
`

/** Tries while another process is about to release its first step. */
async function acquireBesideAnother(file: string) {
  const other = spawn(process.execPath, ['-e', STEP, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  const hasLeft = once(other, 'exit')
  other.stdin.end('go')
  const taken = acquireLock(file)
  await hasLeft
  return taken
}

test('of two processes at the same instant, one gets it', async () => {
  const file = join(folder, 'lock.db')
  writeFileSync(file, '')
  // Repeated, since a busy machine may delay the other process too long; without retries none succeeds.
  let taken = await acquireBesideAnother(file)
  for (let attempt = 0; attempt < 5; attempt += 1) taken ??= await acquireBesideAnother(file)
  expect(taken).toBeDefined()
  taken?.release()
})

test('its file is readable only by its owner', () => {
  const file = join(folder, 'lock.db')
  acquireLock(file)?.release()
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('fails with a hint where locking is impossible', () => {
  writeFileSync(join(folder, 'file'), '')
  const impossible = join(folder, 'file', 'lock.db')
  expect(() => acquireLock(impossible)).toThrow(expect.objectContaining({ code: 'store-unavailable' }))
})

const GARBAGE = 'not a database, and long enough to be read as one'.repeat(50)

test('a garbage file is truncated in place, and the lock works', async () => {
  const file = join(folder, 'lock.db')
  writeFileSync(file, GARBAGE)
  const { ino } = statSync(file)
  const held = acquireLock(file)
  expect([held !== undefined, statSync(file).ino, statSync(file).size]).toEqual([true, ino, 0])
  const other = spawn(process.execPath, ['-e', HOLD, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [said] = await once(other.stderr, 'data')
  expect(String(said)).toContain('locked')
  held?.release()
})

test('garbage written over a held lock does not release it and is not touched', async () => {
  const file = join(folder, 'lock.db')
  const holder = spawn(process.execPath, ['-e', HOLD, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(holder.stdout, 'data')
    writeFileSync(file, GARBAGE)
    expect([acquireLock(file), statSync(file).size]).toEqual([undefined, GARBAGE.length])
  } finally {
    holder.kill('SIGKILL')
    await once(holder, 'exit')
  }
})

test('the target of a link is not truncated, and is named', () => {
  const target = join(folder, 'letters')
  writeFileSync(target, GARBAGE)
  const file = join(folder, 'lock.db')
  symlinkSync(target, file)
  expect(() => acquireLock(file)).toThrow(
    expect.objectContaining({ hint: `Stop every Holdfast daemon, then delete ${file}.` }),
  )
  expect(statSync(target).size).toBe(GARBAGE.length)
})
