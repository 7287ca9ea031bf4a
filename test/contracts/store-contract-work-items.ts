import { describe, expect, test } from 'vitest'
import type { SessionSummary } from '../../src/kernel/agent-records.ts'
import { EMPTY_WORK, type FileWork, type WorkSummary } from '../../src/kernel/checkpoint.ts'
import { ProjectId } from '../../src/kernel/id.ts'
import type { Store, WorkSearch } from '../../src/kernel/ports/ports.ts'
import type { OpenStoreForTest } from './store-contract.ts'
import { aCheckpoint, aMemory, aPlace, idOf, minutesLater, START } from './store-examples.ts'

const { projectId } = aPlace()

function work({
  ask,
  files = [],
  decisions = [],
}: {
  ask: string
  files?: readonly string[]
  decisions?: readonly string[]
}): WorkSummary {
  return {
    ...EMPTY_WORK,
    asks: [{ text: ask, at: START, order: 1 }],
    files: files.map((path, lastOrder): FileWork => ({ path, action: 'edited', reads: 0, edits: 1, lastOrder })),
    decisions: decisions.map((decision, lastOrder) => ({ decision, evidence: 'claimed', lastOrder })),
  }
}

function aSummary(id: string, summary: string, filesChanged: readonly string[] = []): SessionSummary {
  const rest = { entitiesRegistered: [], checklistProgress: {}, savedAt: minutesLater(5) }
  return { id, projectId, worktree: '/w', summary, filesChanged, ...rest }
}

async function found(store: Store, text: string, query: Partial<WorkSearch> = {}): Promise<readonly string[]> {
  const hits = await store.searchWork({ projectId, text, limit: 10, ...query })
  return hits.map(({ kind, title }) => `${kind}: ${title}`)
}

/** Searching what was worked on. */
export function workItemContract(open: OpenStoreForTest): void {
  describe('searching work', () => {
    test('finds checkpoints, decisions and summaries by their words and by the words in the names of their files', async () => {
      await using opened = await open()
      const { store } = opened
      const decisions = ['Refunds go through the queue']
      await store.saveCheckpoint(
        aCheckpoint('a', {
          summary: 'Cart',
          work: work({ ask: 'Fix the cart', files: ['src/cart/evictOldest.ts'], decisions }),
        }),
      )
      await store.saveCheckpoint(aCheckpoint('b', { summary: 'Docs', work: work({ ask: 'Write the docs' }) }))
      await store.saveSummary(aSummary('s1', 'Moved the billing tables', ['db/billing.sql']))
      expect(await found(store, 'cart')).toEqual(['checkpoint: Cart'])
      expect(await found(store, 'why is the oldest evicted?')).toEqual(['checkpoint: Cart'])
      expect(await found(store, 'refund queue')).toEqual(['decision: Refunds go through the queue'])
      expect(await found(store, 'billing.sql')).toEqual(['summary: Moved the billing tables'])
      expect(await found(store, 'kubernetes')).toEqual([])
      expect(await found(store, '')).toEqual([])
      expect(await found(store, 'cart', { projectId: ProjectId('elsewhere') })).toEqual([])
      expect(await found(store, 'cart', { notSession: idOf('a') })).toEqual([])
      expect(await found(store, 'cart docs billing', { limit: 2 })).toHaveLength(2)
    })

    test('the newest checkpoint of a session speaks for it; named ones speak for themselves', async () => {
      await using opened = await open()
      const { store } = opened
      const first = aCheckpoint('a', { summary: 'Early', work: work({ ask: 'Fix the cart', decisions: ['Use pnpm'] }) })
      await store.saveCheckpoint(first)
      await store.saveCheckpoint(aCheckpoint('a', { summary: 'Late', work: work({ ask: 'Fix the cart' }) }))
      await store.saveCheckpoint(
        aCheckpoint('a', { summary: 'Named', name: 'one', work: work({ ask: 'Fix the cart' }) }),
      )
      await store.saveCheckpoint(first)
      expect((await found(store, 'cart')).toSorted()).toEqual(['checkpoint: Late', 'checkpoint: Named'])
      expect(await found(store, 'pnpm')).toEqual([])
    })

    test('work on the same files comes after the work that says the words; what is merely recent does not come', async () => {
      await using opened = await open()
      const { store } = opened
      const kept = [
        ['Says it', 'The eviction is wrong', 'src/cache.ts'],
        ['Same file', 'Make it green', 'src/cache.ts'],
        ['Recent', 'Write the changelog', 'CHANGELOG.md'],
      ] as const
      for (const [summary, ask, file] of kept) {
        await store.saveCheckpoint(aCheckpoint(summary, { summary, work: work({ ask, files: [file] }) }))
      }
      expect(await found(store, 'eviction')).toEqual(['checkpoint: Says it', 'checkpoint: Same file'])
    })

    test('what is deleted or pruned is not found any more', async () => {
      await using opened = await open()
      const { store } = opened
      const gone = aCheckpoint('a', { summary: 'Gone', work: work({ ask: 'Fix the cart' }) })
      await store.saveCheckpoint(gone)
      await store.saveCheckpoint(aCheckpoint('b', { summary: 'Old', work: work({ ask: 'Fix the cart' }) }))
      const name = 'kept'
      await store.saveCheckpoint(
        aCheckpoint('b', { summary: 'Named', name, trigger: 'explicit', work: work({ ask: 'cart' }) }),
      )
      await store.deleteCheckpoint(gone.id)
      expect((await found(store, 'cart')).toSorted()).toEqual(['checkpoint: Named', 'checkpoint: Old'])
      const policy = { retentionDays: 7, maxPerSession: 50, sliceRows: 100 }
      expect(await store.pruneCheckpoints({ ...policy, now: minutesLater(60 * 24 * 30) })).toBe(1)
      expect(await found(store, 'cart')).toEqual(['checkpoint: Named'])
    })

    test('a memory that is superseded is not found through the checkpoint of the session that said it', async () => {
      await using opened = await open()
      const { store } = opened
      const old = aMemory('Deploy from the laptop', { projectId })
      await store.saveMemory(old)
      const digest = '## Memory Activity\n- Remembered: Deploy from the laptop'
      await store.saveCheckpoint(aCheckpoint('a', { digest, recentRemembers: ['Deploy from the laptop'] }))
      await store.saveMemory(aMemory('Deploy from the pipeline', { projectId, supersedes: old.id }))
      expect(await found(store, 'deploy laptop')).toEqual([])
      const [first] = await store.searchMemories({ projectId, text: 'deploy laptop', limit: 5 })
      expect(first?.memory.content).toBe('Deploy from the pipeline')
    })

    test('any text is taken for what it says, never for syntax', async () => {
      await using opened = await open()
      const { store } = opened
      await store.saveCheckpoint(
        aCheckpoint('a', { summary: 'x \' " \u0000 \ud800 & | ! <-> :*', work: work({ ask: 'a b' }) }),
      )
      for (const text of [
        '"',
        "' OR 1=1 --",
        'NEAR(a b)',
        'a AND (b',
        'a\u0000b',
        '\ud800',
        'x & | ! <-> b:*',
        'word '.repeat(5_000),
      ]) {
        const hits = await store.searchWork({ projectId, text, limit: 5 })
        expect(hits.every(({ score }) => Number.isFinite(score))).toBe(true)
      }
    })
  })
}
