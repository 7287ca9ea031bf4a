import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import { aPrompt, CADENCE } from './store-examples.ts'
import { bundleProgram, PROJECT_ROOT, type StoreWorkerBundle } from './store-worker-bundle.ts'

const COMMITS = 40
const NOBODY = 65_534
const hasStrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0

let child: StoreWorkerBundle
let folder = ''
let file = ''
beforeAll(async () => {
  child = await bundleProgram(PROJECT_ROOT, fileURLToPath(new URL('./store-child.ts', import.meta.url)))
})
afterAll(() => child[Symbol.dispose]())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-durable-'))
  file = join(folder, 'data', 'holdfast.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** How often the disk was synced while a fresh process made so many commits. */
function syncsOf(synchronous: 'full' | 'normal'): number {
  const trace = join(folder, `${synchronous}.trace`)
  const args = ['-f', '-e', 'trace=fsync,fdatasync', '-o', trace, process.execPath, child.file]
  const { status, stderr } = spawnSync('strace', [
    ...args,
    'append',
    join(folder, `${synchronous}.db`),
    String(COMMITS),
    synchronous,
  ])
  if (status !== 0) throw new Error(`The traced process failed: ${String(stderr)}`)
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /\bf(data)?sync\(/.test(line)).length
}

test.skipIf(!hasStrace)(
  'every commit is synced to disk before it is acknowledged (counted by strace; skipped where strace cannot run)',
  () => {
    expect(syncsOf('full')).toBeGreaterThanOrEqual(COMMITS)
  },
)

test.skipIf(!hasStrace)(
  'control: without synchronous=FULL the same count falls short (skipped where strace cannot run)',
  () => {
    const full = syncsOf('full')
    expect(full - syncsOf('normal')).toBeGreaterThanOrEqual(COMMITS * 0.8)
  },
)

test('killed at any moment, what was acknowledged is there, once and in order', async () => {
  let acknowledged = 0
  for (let round = 0; round < 6; round += 1) {
    const before = acknowledged
    const writer = spawn(process.execPath, [child.file, 'append-forever', file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface(writer.stdout)
    lines.on('line', (line) => {
      acknowledged = Math.max(acknowledged, Number(line))
    })
    await once(lines, 'line')
    await setTimeout(20 + round * 37)
    writer.kill('SIGKILL')
    await once(writer, 'close')
    await using store = await openSqliteStore({ file })
    expect(acknowledged).toBeGreaterThan(before)
    expect(await store.lastSeq()).toBeGreaterThanOrEqual(acknowledged)
    expect(await store.verify()).toEqual([])
  }
})

test('in a folder that may not be written, reads work, writes say why, and work again once it may', async () => {
  {
    await using store = await openSqliteStore({ file })
    await store.append([{ event: aPrompt('a') }, { event: aPrompt('a') }], CADENCE)
  }
  const data = join(folder, 'data')
  const setModes = (folderMode: number, fileMode: number) => {
    for (const name of readdirSync(data)) chmodSync(join(data, name), fileMode)
    chmodSync(data, folderMode)
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  if (process.getuid?.() === 0) for (const path of [folder, data, file]) chownSync(path, NOBODY, NOBODY)
  setModes(0o555, 0o444)
  const reader = spawn(process.execPath, [child.file, 'read-only', file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(reader.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? '{}')
  expect(await next()).toEqual({
    written: 'store-unavailable: Make the file and its folder writable for your user. Stored data can still be read.',
    events: 2,
  })
  expect(existsSync(`${file}-wal`)).toBe(false)
  setModes(0o755, 0o644)
  reader.stdin.write('go\n')
  expect(await next()).toEqual({ written: 'written', events: 3 })
  await once(reader, 'close')
})
