import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProjectId, type SessionId } from '../../src/kernel/id.ts'
import { aPlace, aPrompt, aStart, anEnd, CADENCE, idOf, keyOf, minutesLater } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

export function sessionContract(open: OpenStoreForTest): void {
  describe('sessions', () => {
    test('an unknown one is not found', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.findSession(idOf('nobody'))).toBeUndefined()
      expect(await store.findSessionsByKey(keyOf('nobody'))).toEqual([])
      expect(await store.listSessions({ limit: 10 })).toEqual([])
    })

    test('keep their lineage', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: anEnd('a', { reason: 'clear' }) }], CADENCE)
      await store.append([{ event: aStart('b', { source: 'clear', previousSessionKey: keyOf('a') }) }], CADENCE)
      await store.append([{ event: aPrompt('b') }], CADENCE)
      expect(await store.findSession(idOf('b'))).toMatchObject({
        source: 'clear',
        previousSessionKey: keyOf('a'),
        continues: idOf('a'),
        epoch: 1,
        promptCount: 1,
      })
    })

    test('of one key are found across harnesses', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aStart('a', { harness: 'codex' }) }], CADENCE)
      expect((await store.findSessionsByKey(keyOf('a'))).map(({ harness }) => harness)).toEqual([
        'codex',
        'claude-code',
      ])
    })

    test('are listed by place and phase, latest activity first whatever the clock said', async () => {
      await using opened = await open()
      const { store } = opened
      const other = aPlace({ worktree: '/home/dev/a-2' })
      const elsewhere = aPlace({ projectId: ProjectId('project-b'), worktree: '/home/dev/b' })
      await store.append(
        [
          { event: aStart('one', { at: minutesLater(90) }), location: aPlace() },
          { event: aStart('two', { at: minutesLater(0) }), location: other },
          { event: aStart('three'), location: elsewhere },
          { event: aStart('four') },
          { event: anEnd('two', { at: minutesLater(-90) }) },
        ],
        CADENCE,
      )
      const keys = async (query: Parameters<typeof store.listSessions>[0]) =>
        (await store.listSessions(query)).map(({ key }) => key)
      expect(await keys({ limit: 10 })).toEqual(['two', 'four', 'three', 'one'].map(keyOf))
      expect(await keys({ limit: 1 })).toEqual([keyOf('two')])
      expect(await keys({ projectId: ProjectId('project-a'), limit: 10 })).toEqual(['two', 'one'].map(keyOf))
      expect(await keys({ worktree: '/home/dev/a', limit: 10 })).toEqual([keyOf('one')])
      expect(await keys({ phases: ['ended'], limit: 10 })).toEqual([keyOf('two')])
      expect(await keys({ phases: ['idle', 'ended'], worktree: '/home/dev/a-2', limit: 10 })).toEqual([keyOf('two')])
      expect(await keys({ phases: [], limit: 10 })).toEqual([])
      // Page by page: session one ran while the others started, so its last event is the newest.
      await store.append([{ event: aPrompt('four') }, { event: aPrompt('one') }, { event: aPrompt('four') }], CADENCE)
      const pages: string[] = []
      for (let afterSession: SessionId | undefined; ; ) {
        const [session] = await store.listSessions({ ...(afterSession && { afterSession }), limit: 1 })
        if (session === undefined) break
        pages.push(session.key)
        afterSession = session.id
      }
      expect(pages).toEqual(await keys({ limit: 10 }))
      expect(pages).toHaveLength(4)
    })

    test('property: the newest comes first, however their events were mixed and whatever was noted in between', async () => {
      const places = { a: aPlace(), b: aPlace(), c: aPlace({ worktree: '/home/dev/a-2' }), d: undefined }
      const name = fc.constantFrom('a' as const, 'b' as const, 'c' as const, 'd' as const)
      const step = fc.oneof(
        { weight: 3, arbitrary: fc.array(name, { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.record({ end: name }) },
        { weight: 1, arbitrary: fc.record({ note: name }) },
      )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          await using opened = await open()
          const { store } = opened
          let expected: string[] = []
          for (const taken of steps) {
            if ('note' in taken) await store.noteObserved(idOf(taken.note), { contextTokens: 1 })
            else if ('end' in taken) await store.markInterrupted(idOf(taken.end), minutesLater(1))
            else {
              const entries = taken.map((key) => ({ event: aPrompt(key), location: places[key] }))
              await store.append(entries, CADENCE)
              for (const key of taken) expected = [key, ...expected.filter((other) => other !== key)]
            }
          }
          const keys = async (query: Parameters<typeof store.listSessions>[0]) =>
            (await store.listSessions(query)).map(({ key }) => key)
          expect(await keys({ limit: 10 })).toEqual(expected.map(keyOf))
          const inWorktree = expected.filter((key) => key === 'a' || key === 'b')
          expect(await keys({ worktree: aPlace().worktree, limit: 10 })).toEqual(inWorktree.map(keyOf))
          for (const { lastEventSeq, promptCount, id } of await store.listSessions({ limit: 10 })) {
            const events = await store.listEvents({ sessionId: id, limit: 100 })
            expect([lastEventSeq, promptCount]).toEqual([events.at(-1)?.seq, events.length])
          }
        }),
        { numRuns: 25, seed: 20_261_116 },
      )
    })

    test('are marked interrupted, unless they are over or unknown', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aStart('b') }, { event: anEnd('b') }], CADENCE)
      const ended = await store.findSession(idOf('b'))
      for (const name of ['a', 'b', 'nobody']) await store.markInterrupted(idOf(name), minutesLater(5))
      expect(await store.findSession(idOf('a'))).toMatchObject({ phase: 'interrupted', endedAt: minutesLater(5) })
      expect(await store.findSession(idOf('b'))).toEqual(ended)
      expect(await store.findSession(idOf('nobody'))).toBeUndefined()
      expect(await store.listSessions({ phases: ['interrupted'], limit: 5 })).toHaveLength(1)
    })

    test('come back to life when their harness speaks again', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }], CADENCE)
      await store.markInterrupted(idOf('a'), minutesLater(5))
      const [appended] = await store.append([{ event: aPrompt('a') }], CADENCE)
      expect(appended?.session).toMatchObject({ phase: 'working', endedAt: undefined })
    })

    test('know how full their context is and which harness they run in', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }], CADENCE)
      await store.noteObserved(idOf('a'), { contextTokens: 81_000, contextWindowTokens: 200_000 })
      await store.noteObserved(idOf('a'), { harnessVersion: '2.1.325' })
      await store.noteObserved(idOf('nobody'), { contextTokens: 1 })
      await store.append([{ event: aPrompt('a') }], CADENCE)
      expect(await store.findSession(idOf('a'))).toMatchObject({
        contextTokens: 81_000,
        contextWindowTokens: 200_000,
        harnessVersion: '2.1.325',
        promptCount: 1,
      })
    })

    test('lose no change to another that comes at the same time', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }], CADENCE)
      await Promise.all([
        ...Array.from({ length: 10 }, () => store.append([{ event: aPrompt('a') }], CADENCE)),
        store.noteObserved(idOf('a'), { contextTokens: 5_000 }),
        store.markInterrupted(idOf('a'), minutesLater(1)),
      ])
      expect(await store.findSession(idOf('a'))).toMatchObject({ promptCount: 10, contextTokens: 5_000 })
    })
  })
}
