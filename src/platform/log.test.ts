import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { createLog } from './log.ts'

const clock = { now: () => '2026-01-02T03:04:05.678Z', monotonicMs: () => 0 }

test('an entry is one line of JSON with its time, level, message and fields, in a private file', () => {
  using dir = tempDir()
  const file = join(dir.path, 'x.log')
  createLog({ file, level: 'info', clock }).info('drained', { count: 3 })
  expect(readFileSync(file, 'utf8')).toBe(
    '{"at":"2026-01-02T03:04:05.678Z","level":"info","message":"drained","count":3}\n',
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('below its level nothing is written', () => {
  using dir = tempDir()
  const file = join(dir.path, 'x.log')
  const log = createLog({ file, level: 'warn', clock })
  log.debug('no')
  log.info('no')
  log.warn('yes')
  expect(readFileSync(file, 'utf8').split('\n').length).toBe(2)
})

test('newlines, escapes, separators, half surrogates and direction marks stay inside one line and parse back', () => {
  using dir = tempDir()
  const file = join(dir.path, 'x.log')
  const nasty = 'a\nb\r\u001b[31m\u0085\u009b2J\u2028\u2029\u202e\ud800\0'
  createLog({ file, level: 'debug', clock }).error(nasty, { nasty })
  const text = readFileSync(file, 'utf8')
  expect(text.trimEnd()).toMatch(/^[\u0020-\u007e]+$/)
  expect(text.split('\n').length).toBe(2)
  expect(JSON.parse(text)).toMatchObject({ message: nasty, nasty })
})

test('a field that cannot be JSON, or is far too long, does not lose the entry', () => {
  using dir = tempDir()
  const file = join(dir.path, 'x.log')
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  const log = createLog({ file, level: 'debug', clock })
  log.info('circular', { circular })
  log.info('large', { text: 'x'.repeat(100_000), many: Array.from({ length: 500 }, () => 'y'.repeat(400)) })
  log.info('error', { cause: new Error('why'), big: 10n })
  const [first, second, third] = readFileSync(file, 'utf8').trim().split('\n')
  expect(JSON.parse(first ?? '')).toMatchObject({ message: 'circular' })
  expect(second?.length).toBeLessThan(5_000)
  expect(JSON.parse(second ?? '')).toMatchObject({ message: 'large' })
  expect(JSON.parse(third ?? '')).toMatchObject({ cause: 'why', big: '10' })
})

test('files rotate at their size, and only so many are retained', () => {
  using dir = tempDir()
  const log = createLog({ file: join(dir.path, 'x.log'), level: 'debug', clock, maxBytes: 500, keep: 2 })
  for (let n = 0; n < 100; n += 1) log.info('line', { n })
  expect(readdirSync(dir.path).sort()).toEqual(['x.log', 'x.log.1', 'x.log.2'])
  for (const name of readdirSync(dir.path)) expect(statSync(join(dir.path, name)).size).toBeLessThan(650)
  expect(readFileSync(join(dir.path, 'x.log'), 'utf8')).toContain('"n":99')
})

test.skipIf(!existsSync('/dev/full'))(
  'a full disk, a missing folder and a folder in the way lose the line and nothing else',
  () => {
    using dir = tempDir()
    mkdirSync(join(dir.path, 'folder'))
    for (const file of ['/dev/full', join(dir.path, 'missing', 'x.log'), join(dir.path, 'folder')])
      expect(() => createLog({ file, level: 'debug', clock }).error('lost')).not.toThrow()
  },
)

test('a repeated message is logged ten times a minute, then how many were dropped', () => {
  using dir = tempDir()
  const file = join(dir.path, 'x.log')
  let nowMs = 0
  const log = createLog({ file, level: 'info', clock: { ...clock, monotonicMs: () => nowMs } })
  for (let n = 0; n < 50; n += 1) log.warn('The disk is full.', { n })
  for (let n = 0; n < 15; n += 1) log.info('drained', { n })
  log.warn('Something else.')
  nowMs = 60_000
  log.warn('The disk is full.', { n: 50 })
  log.warn('The disk is full.', { n: 51 })
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const complaints: { message: string; n?: number; alikeLeftOut?: number }[] = lines.map((line) => JSON.parse(line))
  const numbersOf = (message: string) => complaints.filter((line) => line.message === message).map(({ n }) => n)
  expect(numbersOf('The disk is full.')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50, 51])
  expect(complaints.flatMap(({ n, alikeLeftOut }) => (alikeLeftOut === undefined ? [] : [[n, alikeLeftOut]]))).toEqual([
    [50, 40],
  ])
  expect([numbersOf('drained').length, numbersOf('Something else.').length]).toEqual([15, 1])
})
