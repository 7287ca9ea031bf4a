import { describe, expect, test } from 'vitest'
import { toSessionId } from '../../src/kernel/id.ts'
import type { Injection } from '../../src/kernel/injection.ts'
import { aCheckpoint, aPrompt, aStart, CADENCE, idOf, keyOf, minutesLater } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

function anInjection(name: string, injection: Partial<Injection> = {}): Injection {
  return {
    sessionId: idOf(name),
    at: minutesLater(1),
    kind: 'recovery',
    epoch: 1,
    chars: 1_200,
    textHash: 'abc',
    sources: ['checkpoint-1'],
    reasons: [{ line: 'Next: run the tests', origin: 'nextAction', reason: 'newest', verdict: 'holds', score: 0.5 }],
    ...injection,
  }
}

export function ledgerContract(open: OpenStoreForTest): void {
  describe('work snapshots', () => {
    test('the last one saved is found', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.findWork(idOf('a'))).toBeUndefined()
      const snapshot = { sessionId: idOf('a'), eventSeq: 3, transcriptOffset: 5_000_000_000, state: '{"asks":[]}' }
      await store.saveWork(snapshot)
      expect(await store.findWork(idOf('a'))).toEqual(snapshot)
      await store.saveWork({ ...snapshot, eventSeq: 9, state: '{}' })
      expect(await store.findWork(idOf('a'))).toEqual({ ...snapshot, eventSeq: 9, state: '{}' })
      expect(await store.findWork(idOf('b'))).toBeUndefined()
    })
  })

  describe('the ledger of injections', () => {
    test('is read newest first, by session and by kind', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.listInjections({ limit: 5 })).toEqual([])
      const entries = [
        anInjection('a', { at: minutesLater(9) }),
        anInjection('b', { kind: 'memories' }),
        anInjection('a', { kind: 'notice', sources: [], reasons: [] }),
      ]
      for (const entry of entries) await store.recordInjection(entry)
      expect(await store.listInjections({ limit: 5 })).toEqual(entries.toReversed())
      expect(await store.listInjections({ limit: 1 })).toEqual(entries.slice(2))
      expect(await store.listInjections({ sessionId: idOf('a'), limit: 5 })).toEqual([entries[2], entries[0]])
      expect(await store.listInjections({ sessionId: idOf('a'), kind: 'recovery', limit: 5 })).toEqual([entries[0]])
    })

    test('a recovery serves its epoch, and never an older one again', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aStart('a', { source: 'compact' }) }], CADENCE)
      const served = async () => (await store.findSession(idOf('a')))?.recoveredEpoch
      await store.recordInjection(anInjection('a', { kind: 'memories', epoch: 2 }))
      expect(await served()).toBe(0)
      await store.recordInjection(anInjection('a', { epoch: 2 }))
      expect(await served()).toBe(2)
      await store.recordInjection(anInjection('a', { epoch: 1 }))
      expect(await served()).toBe(2)
    })

    test('a session continues the one whose recovery it got, of any harness, and never itself', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a', { harness: 'codex' }) }, { event: aStart('b') }], CADENCE)
      const codex = { harness: 'codex', sessionId: toSessionId('codex', keyOf('a')) }
      const [own, foreign, older] = [aCheckpoint('b'), aCheckpoint('a', codex), aCheckpoint('c')]
      for (const checkpoint of [older, foreign, own]) await store.saveCheckpoint(checkpoint)
      const continued = async () => (await store.findSession(idOf('b')))?.continues
      const sources = [own, foreign, older].map(({ id }) => id)
      await store.recordInjection(anInjection('b', { kind: 'memories', sources }))
      await store.recordInjection(anInjection('b', { sources, chars: 0 }))
      await store.recordInjection(anInjection('b', { sources: [own.id, 'checkpoint-that-was-pruned'] }))
      expect(await continued()).toBeUndefined()
      await store.recordInjection(anInjection('b', { sources, epoch: 2 }))
      expect(await continued()).toBe(codex.sessionId)
      await store.recordInjection(anInjection('b', { sources: [own.id], epoch: 3 }))
      expect(await continued()).toBe(codex.sessionId)
      await store.append([{ event: aPrompt('b') }], CADENCE)
      expect(await continued()).toBe(codex.sessionId)
    })
  })

  describe('sightings', () => {
    test('count, and remember the latest time', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.listSightings()).toEqual([])
      const hook = { harness: 'claude-code', harnessVersion: '2.1.0', hook: 'PreCompact' }
      await store.recordSighting({ ...hook, at: minutesLater(5) })
      await store.recordSighting({ ...hook, at: minutesLater(1) })
      await store.recordSighting({ ...hook, harnessVersion: '2.0.9', at: minutesLater(0) })
      await store.recordSighting({ ...hook, harness: 'codex', at: minutesLater(2) })
      expect(await store.listSightings('claude-code')).toEqual([
        { ...hook, harnessVersion: '2.0.9', count: 1, lastSeenAt: minutesLater(0) },
        { ...hook, count: 2, lastSeenAt: minutesLater(5) },
      ])
      expect(await store.listSightings()).toHaveLength(3)
      expect(await store.listSightings('nobody')).toEqual([])
    })
  })
}
