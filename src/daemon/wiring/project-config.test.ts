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
  const configFor = createProjectConfig({ config: DEFAULT_CONFIG, load, clock, log: memoryLog() })
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
  const configFor = createProjectConfig({ config: DEFAULT_CONFIG, load, clock, log: memoryLog() })
  await configFor('/p')
  isBroken = true
  clock.advance(20_000)
  expect([await configFor('/p'), await configFor('/q')]).toEqual([tightened, DEFAULT_CONFIG])
})
