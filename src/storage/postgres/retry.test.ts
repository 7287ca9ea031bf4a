import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { ConnectionFault } from './dialect.ts'
import { withRetry } from './engine.ts'

function refused(code: string): DatabaseError {
  return Object.assign(new DatabaseError(`refused with ${code}`, 1, 'error'), { code })
}

/** Fails with each of these in turn, then succeeds; remembers the pauses. */
function failing(...faults: readonly Error[]) {
  const pauses: number[] = []
  const left = [...faults]
  return {
    pauses,
    pause: async (ms: number) => {
      pauses.push(ms)
    },
    run: async () => {
      const fault = left.shift()
      if (fault) throw fault
      return 'done'
    },
  }
}

test.each([
  ['a deadlock', refused('40P01')],
  ['a serialization failure', refused('40001')],
  ['a server that is starting', refused('57P03')],
  ['a server that cannot be reached', new ConnectionFault('unreachable', new Error('ECONNREFUSED'))],
])('%s is retried, whatever the change does', async (_, fault) => {
  const { run, pause, pauses } = failing(fault, fault)
  expect(await withRetry(run, { isRepeatable: false, pause })).toBe('done')
  expect(pauses).toEqual([10, 20])
})

test('a lost connection is retried only where that cannot count twice', async () => {
  const lost = [new ConnectionFault('lost', new Error('terminated')), refused('57P01')]
  const again = failing(...lost)
  expect(await withRetry(again.run, { isRepeatable: true, pause: again.pause })).toBe('done')
  const once = failing(...lost)
  const attempt = withRetry(once.run, { isRepeatable: false, pause: once.pause })
  await expect(attempt).rejects.toMatchObject({ code: 'store-unavailable', hint: expect.any(String) })
  expect(once.pauses).toEqual([])
})

test('a refused statement is not retried and keeps its error', async () => {
  const fault = refused('23505')
  const { run, pause } = failing(fault)
  await expect(withRetry(run, { isRepeatable: true, pause })).rejects.toBe(fault)
})

test.each(['28P01', '3D000', '53100', '25006'])('an unusable server (%s) is unavailable at once', async (code) => {
  const { run, pause, pauses } = failing(refused(code))
  await expect(withRetry(run, { isRepeatable: true, pause })).rejects.toMatchObject({ code: 'store-unavailable' })
  expect(pauses).toEqual([])
})

test('it gives up after about five seconds, never pausing longer than 250 ms', async () => {
  const fault = new ConnectionFault('unreachable', new Error('ECONNREFUSED'))
  const { run, pause, pauses } = failing(...Array.from({ length: 100 }, () => fault))
  await expect(withRetry(run, { isRepeatable: true, pause })).rejects.toMatchObject({ code: 'store-unavailable' })
  expect(Math.max(...pauses)).toBe(250)
  const total = pauses.reduce((sum, ms) => sum + ms, 0)
  expect(total).toBeGreaterThan(4_000)
  expect(total).toBeLessThan(6_000)
})
