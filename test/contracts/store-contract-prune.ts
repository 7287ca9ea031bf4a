import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/kernel/checkpoint.ts'
import type { PrunePolicy, Store } from '../../src/kernel/ports/ports.ts'
import { aCheckpoint, idOf, START } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

const daysAgo = (days: number): string => new Date(Date.parse(START) - days * 86_400_000).toISOString()
const POLICY: PrunePolicy = { now: START, retentionDays: 7, maxPerSession: 50, sliceRows: 500 }

async function keepAll(store: Store, checkpoints: readonly Checkpoint[]): Promise<void> {
  for (const checkpoint of checkpoints) await store.saveCheckpoint(checkpoint)
}

/** Indexes of those still there, oldest first. */
async function left(store: Store, checkpoints: readonly Checkpoint[]): Promise<readonly number[]> {
  const stored = await store.listCheckpoints({ limit: 1_000 })
  return stored.map(({ checkpoint }) => checkpoints.findIndex(({ id }) => id === checkpoint.id)).toReversed()
}

export function pruneContract(open: OpenStoreForTest): void {
  describe('pruning', () => {
    test('has nothing to do in an empty store', async () => {
      await using opened = await open()
      expect(await opened.store.pruneCheckpoints(POLICY)).toBe(0)
    })

    test('lets go of what is past its days, and never of the newest of a session', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('old', { createdAt: daysAgo(400) }),
        aCheckpoint('old', { createdAt: daysAgo(300) }),
        aCheckpoint('a', { createdAt: daysAgo(30) }),
        aCheckpoint('a', { createdAt: daysAgo(8), trigger: 'session_end' }),
        aCheckpoint('a', { createdAt: daysAgo(6) }),
      ]
      await keepAll(store, checkpoints)
      expect(await store.pruneCheckpoints(POLICY)).toBe(3)
      expect(await left(store, checkpoints)).toEqual([1, 4])
      expect(await store.pruneCheckpoints(POLICY)).toBe(0)
    })

    test('an event after a recent one is not older, even if the clock was behind', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('old', { createdAt: daysAgo(400) }),
        aCheckpoint('old', { createdAt: daysAgo(300) }),
        aCheckpoint('a', { createdAt: daysAgo(6) }),
        aCheckpoint('b', { createdAt: daysAgo(406) }),
        aCheckpoint('b', { createdAt: daysAgo(405) }),
      ]
      await keepAll(store, checkpoints)
      expect(await store.pruneCheckpoints(POLICY)).toBe(1)
      expect(await left(store, checkpoints)).toEqual([1, 2, 3, 4])
    })

    test('a save above the limit of its session deletes the oldest periodic ones at once', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('a', { trigger: 'session_end' }),
        aCheckpoint('a', { name: 'print-invoices', trigger: 'explicit' }),
        aCheckpoint('a'),
        aCheckpoint('b'),
        aCheckpoint('a'),
        aCheckpoint('a'),
      ]
      for (const checkpoint of checkpoints) await store.saveCheckpoint(checkpoint, 3)
      expect(await left(store, checkpoints)).toEqual([0, 1, 3, 5])
    })

    test('the newest is the one kept last, whatever the clock said', async () => {
      await using opened = await open()
      const checkpoints = [
        aCheckpoint('a', { createdAt: daysAgo(-3_650) }),
        aCheckpoint('a', { createdAt: daysAgo(8) }),
        aCheckpoint('a', { createdAt: daysAgo(3_650) }),
      ]
      await keepAll(opened.store, checkpoints)
      expect(await opened.store.pruneCheckpoints(POLICY)).toBe(1)
      expect(await left(opened.store, checkpoints)).toEqual([0, 2])
    })

    test('keeps named and task checkpoints until they are deleted', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('a', { createdAt: daysAgo(99), name: 'milestone' }),
        aCheckpoint('a', { createdAt: daysAgo(99), task: { slug: 'login' } }),
        aCheckpoint('a', { createdAt: daysAgo(99) }),
        aCheckpoint('a', { createdAt: daysAgo(99) }),
      ]
      await keepAll(store, checkpoints)
      await store.pruneCheckpoints({ ...POLICY, maxPerSession: 1 })
      expect(await left(store, checkpoints)).toEqual([0, 1, 3])
    })

    test('over the cap the oldest periodic ones go first, then the oldest of the rest', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('a', { trigger: 'decision' }),
        aCheckpoint('a', { trigger: 'periodic' }),
        aCheckpoint('a', { trigger: 'agent' }),
        aCheckpoint('a', { trigger: 'autosave' }),
        aCheckpoint('a', { trigger: 'explicit', name: 'kept' }),
        aCheckpoint('a', { trigger: 'periodic' }),
        aCheckpoint('b', { trigger: 'periodic' }),
      ]
      await keepAll(store, checkpoints)
      expect(await store.pruneCheckpoints({ ...POLICY, maxPerSession: 5 })).toBe(1)
      expect(await left(store, checkpoints)).toEqual([0, 2, 3, 4, 5, 6])
      expect(await store.pruneCheckpoints({ ...POLICY, maxPerSession: 3 })).toBe(2)
      expect(await left(store, checkpoints)).toEqual([2, 4, 5, 6])
      expect(await store.pruneCheckpoints({ ...POLICY, maxPerSession: 1 })).toBe(1)
      expect(await left(store, checkpoints)).toEqual([4, 5, 6])
    })

    test('takes no more than a slice at a time, periodic ones before the rest', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('a', { createdAt: daysAgo(90), trigger: 'session_end' }),
        ...Array.from({ length: 7 }, () => aCheckpoint('a', { createdAt: daysAgo(20) })),
        aCheckpoint('a'),
      ]
      await keepAll(store, checkpoints)
      const slices: number[] = []
      for (let taken = -1; taken !== 0; slices.push(taken)) {
        taken = await store.pruneCheckpoints({ ...POLICY, sliceRows: 3 })
        if (slices.length === 0) expect(await left(store, checkpoints)).toContain(0)
      }
      expect(slices).toEqual([3, 3, 2, 0])
      expect(await left(store, checkpoints)).toEqual([8])
    })

    test('spares the one that became the newest when the newest was deleted', async () => {
      await using opened = await open()
      const { store } = opened
      const checkpoints = [
        aCheckpoint('a', { createdAt: daysAgo(99) }),
        aCheckpoint('a', { createdAt: daysAgo(98) }),
        aCheckpoint('a', { createdAt: daysAgo(97) }),
      ]
      await keepAll(store, checkpoints)
      const newest = checkpoints.at(-1)
      if (newest) await store.deleteCheckpoint(newest.id)
      expect(await store.pruneCheckpoints(POLICY)).toBe(1)
      expect(await left(store, checkpoints)).toEqual([1])
      expect((await store.listCheckpoints({ sessionId: idOf('a'), limit: 5 })).length).toBe(1)
    })
  })
}
