import { expect, test } from 'vitest'
import { aCheckpoint } from '../../../test/contracts/store-examples.ts'
import { EMPTY_WORK } from '../../kernel/checkpoint.ts'
import { itemsOfCheckpoint, workKeyOf } from './work-items.ts'

test('a checkpoint is found by what was asked and what came of it, each decision by itself, neither by what was remembered', () => {
  const checkpoint = aCheckpoint('a', {
    summary: 'Cart',
    digest: 'Remembered: use pnpm',
    recentRemembers: ['use pnpm'],
    nextAction: 'run the tests',
    work: {
      ...EMPTY_WORK,
      asks: [{ text: 'Fix the cart', at: '', order: 1 }],
      decisions: [{ decision: 'Queue refunds', rationale: 'they are slow', evidence: 'claimed', lastOrder: 1 }],
      files: [{ path: 'src/cart.ts', action: 'edited', reads: 0, edits: 1, lastOrder: 1 }],
    },
  })
  const { id, sessionId, place, createdAt: at } = checkpoint
  const base = { id, projectId: place.projectId, sessionId, at }
  expect(itemsOfCheckpoint(checkpoint)).toEqual([
    { ...base, kind: 'checkpoint', title: 'Cart', text: 'Cart\nFix the cart\nrun the tests', files: ['src/cart.ts'] },
    { ...base, kind: 'decision', title: 'Queue refunds', text: 'Queue refunds\nthey are slow', files: [] },
  ])
})

test('what takes the place of what: the newest of a session, and of a name in it', () => {
  const [plain, named] = [aCheckpoint('a'), aCheckpoint('a', { name: 'one' })]
  expect(workKeyOf(plain)).toBe(workKeyOf(aCheckpoint('a')))
  expect(new Set([plain, named, aCheckpoint('b')].map(workKeyOf)).size).toBe(3)
})

test('a text of any length is bounded', () => {
  const asks = Array.from({ length: 100 }, (_, order) => ({ text: `${order} ${'x'.repeat(500)}`, at: '', order }))
  const [item] = itemsOfCheckpoint(aCheckpoint('a', { work: { ...EMPTY_WORK, asks } }))
  expect(item?.text).toHaveLength(6_000)
})
