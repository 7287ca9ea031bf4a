import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createIndexRefresh, hasPair, type IndexRefreshPorts, refreshByProgram } from './index-refresh.ts'
import { fakeClock, memoryLog } from '../../../test/support/daemon-setup.ts'

const MINUTE_MS = 60_000

function createSetup(overrides: Partial<IndexRefreshPorts> = {}) {
  const clock = fakeClock()
  const refreshed: string[] = []
  const refresh = createIndexRefresh({
    roots: async () => ['/a', '/b'],
    getRefreshMs: async () => 10 * MINUTE_MS,
    hasPair: async () => true,
    refresh: async (root) => void refreshed.push(root),
    quietMs: () => MINUTE_MS,
    isMachineBusy: () => false,
    clock,
    ...overrides,
  })
  return {
    refreshed,
    refresh,
    async minutes(count: number) {
      for (let minute = 0; minute < count; minute += 1) {
        await refresh.run()
        clock.advance(MINUTE_MS)
      }
    },
  }
}

test('each pair is refreshed once a period, one at a time, first one period after it was seen', async () => {
  const world = createSetup()
  await world.minutes(10)
  expect(world.refreshed).toEqual([])
  await world.minutes(2)
  expect(world.refreshed).toEqual(['/a', '/b'])
  await world.minutes(10)
  expect(world.refreshed).toEqual(['/a', '/b', '/a', '/b'])
})

test.each<[string, Partial<IndexRefreshPorts>]>([
  ['without a pair', { hasPair: async () => false }],
  ['with a period of 0', { getRefreshMs: async () => 0 }],
  ['where nobody works', { roots: async () => [] }],
])('%s nothing is made', async (_name, overrides) => {
  const world = createSetup(overrides)
  await world.minutes(100)
  expect(world.refreshed).toEqual([])
})

test.each<[string, Partial<IndexRefreshPorts>]>([
  ['while the daemon is asked', { quietMs: () => 0 }],
  ['while the machine is busy', { isMachineBusy: () => true }],
])('%s it waits, and in the end not any longer', async (_name, overrides) => {
  const world = createSetup({ ...overrides, roots: async () => ['/a'] })
  await world.minutes(60)
  expect(world.refreshed).toEqual([])
  await world.minutes(1)
  expect(world.refreshed).toEqual(['/a'])
})

test('a second round does not join one under way, a failure waits for the next period, and a stop ends it', async () => {
  const signals: AbortSignal[] = []
  let fail: (error: Error) => void = () => undefined
  const world = createSetup({
    roots: async () => ['/a'],
    refresh: (_root, signal) => {
      signals.push(signal)
      return new Promise((_resolve, reject) => {
        fail = reject
      })
    },
  })
  await world.minutes(10)
  const under = world.refresh.run()
  await expect.poll(() => signals.length).toBe(1)
  await world.minutes(20)
  fail(new Error('no luck'))
  await expect(under).rejects.toThrow('no luck')
  await world.refresh.run().catch(() => undefined)
  expect(signals).toHaveLength(1)
  world.refresh.stop()
  expect(signals[0]?.aborted).toBe(true)
  await world.minutes(50)
  expect(signals).toHaveLength(1)
})

function aFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-refresh-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('the program runs in the project with its arguments, and its failure does not fail the daemon', async () => {
  using folder = aFolder()
  const program = join(folder.path, 'program.cjs')
  const told = join(folder.path, 'told.json')
  writeFileSync(
    program,
    `require('fs').writeFileSync('told.json', JSON.stringify(process.argv.slice(2))); process.exit(3)`,
  )
  const log = memoryLog()
  await refreshByProgram({ program, log })(folder.path, new AbortController().signal)
  expect(JSON.parse(readFileSync(told, 'utf8'))).toEqual(['index', folder.path, '--refresh', '--json'])
  expect(log.lines.map((line) => JSON.parse(line).exitStatus)).toEqual([3])
  await refreshByProgram({ program, log })(join(folder.path, 'gone'), new AbortController().signal)
  expect(log.lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'warn'])
})

test('a program that is at work ends when asked to', async () => {
  using folder = aFolder()
  const program = join(folder.path, 'program.cjs')
  const pidFile = join(folder.path, 'pid')
  writeFileSync(
    program,
    `require('fs').writeFileSync('pid.tmp', String(process.pid)); require('fs').renameSync('pid.tmp', 'pid'); setInterval(() => {}, 1000)`,
  )
  const ending = new AbortController()
  const ended = refreshByProgram({ program, log: memoryLog() })(folder.path, ending.signal)
  await expect.poll(() => existsSync(pidFile), { timeout: 60_000 }).toBe(true)
  const pid = Number(readFileSync(pidFile, 'utf8'))
  ending.abort()
  await ended
  const isAlive = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(isAlive, { timeout: 60_000 }).toBe(false)
})

test('a pair is both files, and neither of them a link or a folder', async () => {
  using folder = aFolder()
  expect(await hasPair(folder.path)).toBe(false)
  writeFileSync(join(folder.path, 'PROJECT_INDEX.md'), '')
  expect(await hasPair(folder.path)).toBe(false)
  writeFileSync(join(folder.path, 'PROJECT_INDEX.json'), '')
  expect(await hasPair(folder.path)).toBe(true)
})
