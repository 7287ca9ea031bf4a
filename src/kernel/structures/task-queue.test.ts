import { expect, test } from 'vitest'
import { createTaskQueue, KeyedTaskQueue, SharedRuns } from './task-queue.ts'

async function fail(): Promise<never> {
  throw new Error('no')
}

test('a queue runs its tasks in order, also after one that failed', async () => {
  const seen: string[] = []
  const enqueue = createTaskQueue()
  const slow = enqueue(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    seen.push('slow')
  })
  const failed = enqueue(fail)
  const last = enqueue(async () => seen.push('last'))
  await expect(failed).rejects.toThrow('no')
  await Promise.all([slow, last])
  expect(seen).toEqual(['slow', 'last'])
})

test('a keyed queue holds up only its own key, and drains', async () => {
  const seen: string[] = []
  const queue = new KeyedTaskQueue<string>()
  let release = () => {}
  const held = queue.run('a', () => new Promise<void>((resolve) => (release = resolve)))
  const next = queue.run('a', async () => seen.push('a'))
  await queue.run('b', async () => seen.push('b'))
  expect(seen).toEqual(['b'])
  release()
  await queue.drain()
  expect(seen).toEqual(['b', 'a'])
  await Promise.all([held, next])
  await expect(queue.run('a', fail)).rejects.toThrow('no')
})

test('callers of one key share a run', async () => {
  let runs = 0
  const shared = new SharedRuns<string, number>()
  const count = async () => (runs += 1)
  expect(await Promise.all([shared.run('a', count), shared.run('a', count)])).toEqual([1, 1])
  expect([shared.has('a'), await shared.run('a', count)]).toEqual([false, 2])
})
