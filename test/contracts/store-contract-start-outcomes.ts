import { describe, expect, test } from 'vitest'
import { ProjectId } from '../../src/kernel/id.ts'
import type { StartOutcome } from '../../src/kernel/start-outcome.ts'
import { HARNESS, idOf, keyOf, minutesLater } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

export function aReceipt(name: string, receipt: Partial<StartOutcome> = {}): StartOutcome {
  return {
    sessionId: idOf(name),
    sessionKey: keyOf(name),
    harness: HARNESS,
    projectId: ProjectId('project-a'),
    worktree: '/home/dev/a',
    epoch: 1,
    source: 'startup',
    startedAt: minutesLater(0),
    startSeq: 1,
    eventSeq: 5_000_000_000,
    isWarm: true,
    calls: 7,
    filesRead: 2,
    commandsRun: 1,
    decisionsMade: 0,
    callsToFirstEdit: 3,
    earlierSessions: [idOf('before')],
    rework: {
      filesReread: [{ path: 'src/näme.ts', standing: 'unchanged', isEditedAfter: false }],
      commandsRepeated: ['npm test'],
      decisionsReopened: [],
      ratio: 0.667,
      novel_context_count: 1,
    },
    uses: [{ at: minutesLater(0), kind: 'recovery', textHash: 'abc', lines: [{ status: 'used', afterCalls: 2 }] }],
    labels: [{ section: 'read', shown: 3, used: 1.5 }],
    ...receipt,
  }
}

export function receiptContract(open: OpenStoreForTest): void {
  describe('receipts', () => {
    test('come back as they were kept, the latest start first, by session and by project', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.listStartOutcomes({ limit: 5 })).toEqual([])
      const [first, second, other] = [
        aReceipt('a'),
        aReceipt('a', { epoch: 2, startSeq: 20 }),
        aReceipt('b', { projectId: ProjectId('project-b'), startSeq: 10, rework: undefined }),
      ]
      await store.saveStartOutcomes([first, second, other])
      expect(await store.listStartOutcomes({ limit: 5 })).toEqual([second, other, first])
      expect(await store.listStartOutcomes({ limit: 1 })).toEqual([second])
      expect(await store.listStartOutcomes({ sessionId: idOf('a'), limit: 5 })).toEqual([second, first])
      expect(await store.listStartOutcomes({ projectId: ProjectId('project-b'), limit: 5 })).toEqual([other])
    })

    test('one of the same start is replaced', async () => {
      await using opened = await open()
      const { store } = opened
      await store.saveStartOutcomes([aReceipt('a')])
      const later = aReceipt('a', { calls: 30, eventSeq: 6_000_000_000 })
      await store.saveStartOutcomes([later])
      expect(await store.listStartOutcomes({ limit: 5 })).toEqual([later])
    })

    test('one that is not what was written is left out', async () => {
      await using opened = await open()
      const { store } = opened
      const sound = aReceipt('b', { startSeq: 9 })
      await store.saveStartOutcomes([aReceipt('a'), sound])
      await opened.tamper(
        `update receipts set body = replace(body, '"calls":7', '"calls":8') where session_id = '${idOf('a')}'`,
      )
      expect(await store.listStartOutcomes({ limit: 5 })).toEqual([sound])
    })

    test('go with the days of the events, a slice at a time', async () => {
      await using opened = await open()
      const { store } = opened
      const old = ['a', 'b', 'c'].map((name, index) => aReceipt(name, { startSeq: index + 1 }))
      const fresh = aReceipt('d', { startSeq: 9, startedAt: minutesLater(60 * 24 * 30) })
      await store.saveStartOutcomes([...old, fresh])
      const policy = { now: minutesLater(60 * 24 * 31), retentionDays: 7, sliceRows: 2 }
      expect(await store.pruneLedgers(policy)).toBe(2)
      expect(await store.pruneLedgers(policy)).toBe(1)
      expect(await store.listStartOutcomes({ limit: 5 })).toEqual([fresh])
    })
  })
}
