import { describe, expect, test } from 'vitest'
import { CheckpointId, ProjectId } from '../../src/kernel/id.ts'
import type { CheckpointQuery } from '../../src/kernel/ports/store-queries.ts'
import { aCheckpoint, aPlace, aPrompt, aStart, CADENCE, idOf, keyOf, minutesLater } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

export function checkpointContract(open: OpenStoreForTest): void {
  describe('checkpoints', () => {
    test('an unknown one is not found', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.findCheckpoint(CheckpointId('nobody'))).toBeUndefined()
      expect(await store.listCheckpoints({ limit: 10 })).toEqual([])
      expect(await store.deleteCheckpoint(CheckpointId('nobody'))).toBe(false)
    })

    test('are kept whole, with a hash', async () => {
      await using opened = await open()
      const checkpoint = aCheckpoint('a', {
        name: 'before-the-refactor',
        task: { slug: 'login', gate: 'G4' },
        dirty: { staged: 1, unstaged: 2, untracked: 0, paths: ['src/a.ts'] },
        safetyMetrics: { refusals: 0.25 },
        digest: 'NUL \u0000, a lone \ud800 and a ship \u{1f6a2}',
      })
      const stored = await opened.store.saveCheckpoint(checkpoint)
      expect(stored).toEqual({ checkpoint, seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(await opened.store.findCheckpoint(checkpoint.id)).toEqual(stored)
    })

    test('reset the cadence of their session, in so far as they cover what it did', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aPrompt('a') }, { event: aPrompt('a') }], CADENCE)
      await store.saveCheckpoint(aCheckpoint('a', { eventSeq: 2, createdAt: minutesLater(1) }))
      expect(await store.findSession(idOf('a'))).toMatchObject({
        promptsSinceCheckpoint: 0,
        hasNewWork: true,
        lastCheckpointAt: minutesLater(1),
      })
      await store.saveCheckpoint(aCheckpoint('a', { eventSeq: 3, createdAt: minutesLater(2) }))
      expect(await store.findSession(idOf('a'))).toMatchObject({ hasNewWork: false, promptCount: 2 })
    })

    test('of a session that is not known are kept too', async () => {
      await using opened = await open()
      const stored = await opened.store.saveCheckpoint(aCheckpoint('stranger'))
      expect(await opened.store.listCheckpoints({ sessionId: idOf('stranger'), limit: 5 })).toEqual([stored])
      expect(await opened.store.findSession(idOf('stranger'))).toBeUndefined()
    })

    test('a known id is a no-op', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }], CADENCE)
      const checkpoint = aCheckpoint('a', { createdAt: minutesLater(1) })
      const first = await store.saveCheckpoint(checkpoint)
      const session = await store.findSession(idOf('a'))
      const again = await store.saveCheckpoint({ ...checkpoint, digest: 'other words', createdAt: minutesLater(9) })
      expect(again).toEqual(first)
      expect(await store.findSession(idOf('a'))).toEqual(session)
      expect(await store.counts()).toMatchObject({ checkpoints: 1 })
    })

    test('are looked up by everything the query names, newest kept first whatever the clock said', async () => {
      await using opened = await open()
      const { store } = opened
      const projectB = aPlace({
        projectId: ProjectId('project-b'),
        project: '/home/dev/b',
        projectNormalized: '/home/dev/b',
        worktree: '/home/dev/b',
      })
      const kept = [
        aCheckpoint('one', { createdAt: minutesLater(60) }),
        aCheckpoint('one', { place: aPlace({ branch: 'feature' }), createdAt: minutesLater(10) }),
        aCheckpoint('two', { place: aPlace({ worktree: '/home/dev/a-2' }), createdAt: minutesLater(-60) }),
        aCheckpoint('two', { place: projectB, name: 'b-named' }),
        aCheckpoint('three', { place: aPlace({ branch: undefined }), createdAt: minutesLater(30) }),
      ]
      for (const checkpoint of kept) await store.saveCheckpoint(checkpoint)
      const found = async (query: Omit<CheckpointQuery, 'limit'>, limit = 10) =>
        (await store.listCheckpoints({ ...query, limit })).map(({ checkpoint }) =>
          kept.findIndex(({ id }) => id === checkpoint.id),
        )
      expect(await found({})).toEqual([4, 3, 2, 1, 0])
      expect(await found({}, 2)).toEqual([4, 3])
      expect(await found({ projectId: ProjectId('project-a') })).toEqual([4, 2, 1, 0])
      expect(await found({ project: '/home/dev/link-to-a' })).toEqual([4, 2, 1, 0])
      expect(await found({ project: '/home/dev/a' }, 3)).toEqual([4, 2, 1])
      expect(await found({ project: '/home/dev/b' })).toEqual([3])
      expect(await found({ project: '/home/dev/nowhere' })).toEqual([])
      expect(await found({ sessionId: idOf('two') })).toEqual([3, 2])
      expect(await found({ sessionKey: keyOf('two'), projectId: ProjectId('project-a') })).toEqual([2])
      expect(await found({ worktree: '/home/dev/a' })).toEqual([4, 1, 0])
      expect(await found({ worktree: '/home/dev/a', branch: 'feature' })).toEqual([1])
      expect(await found({ name: 'b-named' })).toEqual([3])
      expect(await found({ worktree: '/home/dev/a', since: minutesLater(30) })).toEqual([4, 0])
      expect(await found({ excludeSessions: [idOf('one'), idOf('three')] })).toEqual([3, 2])
    })

    test('a deleted one is gone', async () => {
      await using opened = await open()
      const { store } = opened
      const [kept, deleted] = [
        await store.saveCheckpoint(aCheckpoint('a')),
        await store.saveCheckpoint(aCheckpoint('a')),
      ]
      expect(await store.deleteCheckpoint(deleted.checkpoint.id)).toBe(true)
      expect(await store.deleteCheckpoint(deleted.checkpoint.id)).toBe(false)
      expect(await store.listCheckpoints({ limit: 10 })).toEqual([kept])
      const later = await store.saveCheckpoint(aCheckpoint('a'))
      expect(later.seq).toBeGreaterThan(deleted.seq)
    })

    test('a changed row is left out of every answer and reported, and can be stored again', async () => {
      await using opened = await open()
      const { store } = opened
      const older = await store.saveCheckpoint(aCheckpoint('a'))
      const newer = aCheckpoint('a')
      await store.saveCheckpoint(newer)
      await opened.tamper(
        `update session_checkpoints set body = replace(body, 'Working', 'Playing') where id = '${newer.id}'`,
      )
      expect(await store.findCheckpoint(newer.id)).toBeUndefined()
      expect(await store.listCheckpoints({ sessionId: idOf('a'), limit: 1 })).toEqual([older])
      expect(await store.verify()).toEqual([{ what: 'checkpoint-hash', detail: `Checkpoint ${newer.id} is damaged.` }])
      const again = await store.saveCheckpoint(newer)
      expect(await store.findCheckpoint(newer.id)).toEqual(again)
      expect(await store.verify()).toEqual([])
    })

    test('kept at the same time all stay', async () => {
      await using opened = await open()
      const { store } = opened
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.saveCheckpoint(aCheckpoint(`s${index % 3}`))),
      )
      expect(new Set(kept.map(({ seq }) => seq)).size).toBe(20)
      expect(await store.counts()).toMatchObject({ checkpoints: 20 })
    })
  })
}
