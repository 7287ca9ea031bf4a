import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { reserveSpace, releaseReservedSpace } from './files/reserved-space.ts'
import { resolveHome } from './base/home.ts'
import {
  clearLostHooks,
  parseReportName,
  prepareLostHooks,
  readLostHooks,
  recordLostHook,
  findSessionKey,
  formatReportName,
} from './lost-hooks.ts'

const at = (minute: number) => `2026-03-01T09:${String(minute).padStart(2, '0')}:00.000Z`
const lost = (minute: number, session = 's-1') => ({ at: at(minute), harness: 'claude-code', hook: 'Stop', session })

test('events are recorded in place: the file keeps its size', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  prepareLostHooks(home)
  const { size, ino } = statSync(home.lostHooksFile)
  expect(readLostHooks(home)).toBeUndefined()
  for (const minute of [3, 1, 2]) recordLostHook(home, lost(minute, minute === 2 ? 's-2' : 's-1'))
  prepareLostHooks(home)
  expect(readLostHooks(home)).toEqual({ count: 3, since: at(1), until: at(3), sessions: ['s-1', 's-2'] })
  expect(statSync(home.lostHooksFile)).toMatchObject({ size, ino })
})

test('reported entries are cleared, and later ones are reported next', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  prepareLostHooks(home)
  for (const minute of [1, 2, 9]) recordLostHook(home, lost(minute))
  clearLostHooks(home, at(2))
  expect(readLostHooks(home)).toEqual({ count: 1, since: at(9), until: at(9), sessions: ['s-1'] })
})

test('past 512 no more are recorded, and outside text cannot break a line', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  prepareLostHooks(home)
  for (let n = 0; n < 514; n += 1) recordLostHook(home, lost(1, `a b\n${'c'.repeat(300)}`))
  expect(readLostHooks(home)).toEqual({ count: 512, since: at(1), until: at(1), sessions: [`a_b_${'c'.repeat(46)}`] })
})

test('a report survives as a file name', () => {
  const summary = { count: 12, since: at(1), until: at(2) }
  expect(parseReportName(formatReportName(summary))).toEqual(summary)
  expect(parseReportName('missing-events-1-2.json')).toBeUndefined()
})

test.each([
  [{ session_id: 'a' }, 'a'],
  [{ conversation_id: 'b' }, 'b'],
  [{ session_id: 7 }, undefined],
  ['text', undefined],
])('the session of %j is %s', (payload, session) => {
  expect(findSessionKey(payload)).toBe(session)
})

test('a megabyte is reserved once and released once', async () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  await reserveSpace(home)
  const { size, ino, mode } = statSync(home.reservedSpaceFile)
  expect([size, mode & 0o777]).toEqual([1_000_000, 0o600])
  await reserveSpace(home)
  expect(statSync(home.reservedSpaceFile).ino).toBe(ino)
  expect([releaseReservedSpace(home), releaseReservedSpace(home)]).toEqual([true, false])
})
