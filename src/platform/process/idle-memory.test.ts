import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitUntil } from '../../../test/support/product.ts'
import { collectIdleMemory, createIdleMemory } from './idle-memory.ts'

const MB = 2 ** 20
const QUIET_MS = 50

/** A heap that grows by hand and is halved by a collection. */
function fakeHeap(bytes: number) {
  const heap = { bytes, collections: 0, checks: 0 }
  const memory = createIdleMemory(
    {
      collect() {
        heap.collections += 1
        heap.bytes /= 2
      },
      heapBytes() {
        heap.checks += 1
        return heap.bytes
      },
    },
    QUIET_MS,
  )
  return { heap, memory }
}

test('garbage is collected once after work, and not while the work goes on', async () => {
  const { heap, memory } = fakeHeap(40 * MB)
  for (let round = 0; round < 10; round += 1) {
    memory.touch()
    await sleep(1)
  }
  await waitUntil(() => heap.collections > 0, 'there was a collection')
  await sleep(QUIET_MS * 3)
  expect(heap).toMatchObject({ collections: 1, bytes: 20 * MB })
})

test('a heap that hardly grew since the last collection is left alone, one that did is collected again', async () => {
  const { heap, memory } = fakeHeap(40 * MB)
  memory.touch()
  await waitUntil(() => heap.collections === 1, 'there was a collection')
  heap.bytes = 22 * MB
  heap.checks = 0
  memory.touch()
  await waitUntil(() => heap.checks > 0, 'the heap was looked at')
  expect(heap.collections).toBe(1)
  heap.bytes = 30 * MB
  memory.touch()
  await waitUntil(() => heap.collections === 2, 'there was another collection')
})

test('a process that was started without the flag is served as well', () => {
  expect(() => collectIdleMemory().touch()).not.toThrow()
})
