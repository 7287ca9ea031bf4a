import { expect, test } from 'vitest'
import { createConcurrencyLimiter, CONCURRENCY_LIMITS } from './http-app.ts'

test('as many go in as there is room for, some wait in order, and the rest are turned away', async () => {
  const turnstile = createConcurrencyLimiter({ ...CONCURRENCY_LIMITS, api: { active: 1, waiting: 2 } })
  const order: string[] = []
  const enter = (name: string) =>
    turnstile.enter('api')?.then((leave) => {
      order.push(name)
      return leave
    })
  const first = await enter('first')
  const second = enter('second')
  const third = enter('third')
  expect(enter('fourth')).toBeUndefined()
  expect(order).toEqual(['first'])
  first?.()
  // Leaving twice makes no second place.
  first?.()
  const leaveSecond = await second
  expect(order).toEqual(['first', 'second'])
  leaveSecond?.()
  ;(await third)?.()
  expect(order).toEqual(['first', 'second', 'third'])
  expect(await enter('fifth')).toBeTypeOf('function')
})
