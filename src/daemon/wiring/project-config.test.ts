import { expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { createProjectConfig } from './project-config.ts'
import { fakeClock, memoryLog } from '../../../test/support/daemon-setup.ts'

const tightened = { ...DEFAULT_CONFIG, continuity: { ...DEFAULT_CONFIG.continuity, enabled: false } }

test('a project is read once in a while, and nowhere means the user’s own', async () => {
  const clock = fakeClock()
  const reads: string[] = []
  const load = (worktree: string) => {
    reads.push(worktree)
    return tightened
  }
  const configFor = createProjectConfig({ config: DEFAULT_CONFIG, load, readStamp: () => 1, clock, log: memoryLog() })
  expect(await configFor(undefined)).toBe(DEFAULT_CONFIG)
  expect(await configFor('/p')).toBe(tightened)
  clock.advance(9_999)
  await configFor('/p')
  clock.advance(1)
  await configFor('/p')
  expect(reads).toEqual(['/p', '/p'])
})

test('a file that breaks while we run leaves what it said before', async () => {
  const clock = fakeClock()
  let isBroken = false
  const load = () => {
    if (isBroken) throw new Error('not JSON')
    return tightened
  }
  const configFor = createProjectConfig({ config: DEFAULT_CONFIG, load, readStamp: () => 1, clock, log: memoryLog() })
  await configFor('/p')
  isBroken = true
  clock.advance(20_000)
  expect([await configFor('/p'), await configFor('/q')]).toEqual([tightened, DEFAULT_CONFIG])
})

test('a project file that was written holds for the next event', async () => {
  let stamp: number | undefined
  const load = () => (stamp === undefined ? DEFAULT_CONFIG : tightened)
  const ports = { config: DEFAULT_CONFIG, load, readStamp: () => stamp, clock: fakeClock(), log: memoryLog() }
  const configFor = createProjectConfig(ports)
  expect(await configFor('/p')).toBe(DEFAULT_CONFIG)
  stamp = 7
  expect(await configFor('/p')).toBe(tightened)
  stamp = undefined
  expect(await configFor('/p')).toBe(DEFAULT_CONFIG)
})
