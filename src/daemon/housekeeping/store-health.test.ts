import { expect, test } from 'vitest'
import { HoldfastError } from '../../kernel/errors.ts'
import { createStoreHealth } from './store-health.ts'
import { fakeClock, memoryLog } from '../../../test/support/daemon-setup.ts'

const full = () => Promise.reject(new HoldfastError('store-unavailable', 'database or disk is full'))

function aHealth(ask: () => Promise<unknown> = async () => 0) {
  return createStoreHealth(ask, fakeClock(), memoryLog())
}

test('a store that answers and kept the last write is well', async () => {
  const health = aHealth()
  expect(await health.watch(Promise.resolve('kept'))).toBe('kept')
  expect(await health.read()).toBe('ok')
})

test('a refused write is remembered until one succeeds', async () => {
  const health = aHealth()
  await expect(health.watch(full())).rejects.toThrow('disk is full')
  expect([await health.read(), await health.read()]).toEqual(['read-only', 'read-only'])
  await health.watch(Promise.resolve())
  expect(await health.read()).toBe('ok')
})

test('an event that is refused for its content does not make the store unhealthy', async () => {
  const health = aHealth()
  await expect(health.watch(Promise.reject(new HoldfastError('invalid-input', 'No.')))).rejects.toThrow('No.')
  expect(await health.read()).toBe('ok')
})

test('a store that does not even answer is unavailable, whatever was written', async () => {
  const health = aHealth(full)
  await expect(health.watch(full())).rejects.toThrow('disk is full')
  expect(await health.read()).toBe('unavailable')
})
