import { expect, test } from 'vitest'
import { aCheckpoint } from '../../../test/contracts/store-examples.ts'
import { EMPTY_WORK, NEXT_MESSAGE } from '../../kernel/checkpoint.ts'
import { createCheckpointItems, getWorkKey } from './work-items.ts'

test('a checkpoint is indexed by requests and results, each decision by itself, neither by its memories', () => {
  const checkpoint = aCheckpoint('a', {
    summary: 'Cart',
    digest: 'Remembered: use pnpm',
    recentRemembers: ['use pnpm'],
    nextAction: 'run the tests',
    waitingFor: NEXT_MESSAGE,
    work: {
      ...EMPTY_WORK,
      asks: [{ text: 'Fix the cart', at: '', order: 1 }],
      decisions: [{ decision: 'Queue refunds', rationale: 'they are slow', evidence: 'claimed', lastOrder: 1 }],
      files: [{ path: 'src/cart.ts', action: 'edited', reads: 0, edits: 1, lastOrder: 1 }],
    },
  })
  const { id, sessionId, place, createdAt: at } = checkpoint
  const base = { id, projectId: place.projectId, sessionId, at }
  expect(createCheckpointItems(checkpoint)).toEqual([
    { ...base, kind: 'checkpoint', title: 'Cart', text: 'Cart\nFix the cart\nrun the tests', files: ['src/cart.ts'] },
    { ...base, kind: 'decision', title: 'Queue refunds', text: 'Queue refunds\nthey are slow', files: [] },
  ])
})

test('what a session waits for is indexed if somebody said it', () => {
  const [item] = createCheckpointItems(aCheckpoint('a', { waitingFor: 'an answer to: tabs or spaces?' }))
  expect(item?.text).toContain('tabs or spaces?')
})

test('the newest checkpoint of a session, and of a name in it, replaces earlier ones', () => {
  const [plain, named] = [aCheckpoint('a'), aCheckpoint('a', { name: 'one' })]
  expect(getWorkKey(plain)).toBe(getWorkKey(aCheckpoint('a')))
  expect(new Set([plain, named, aCheckpoint('b')].map(getWorkKey)).size).toBe(3)
})

test('the text is bounded', () => {
  const asks = Array.from({ length: 100 }, (_, order) => ({ text: `${order} ${'x'.repeat(500)}`, at: '', order }))
  const [item] = createCheckpointItems(aCheckpoint('a', { work: { ...EMPTY_WORK, asks } }))
  expect(item?.text).toHaveLength(6_000)
})
