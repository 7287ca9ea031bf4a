import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySteps, playModel } from '../support/replica-model.ts'

const RUNS = Number(process.env.SYNC_MODEL_RUNS ?? 10_000)

test(`${RUNS} interleavings of writes, exchanges, crashes and deliveries end in one state everywhere, with every event`, async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), async (steps, seed) => {
      const { states, written, refused } = await playModel(steps, seed)
      const [first = []] = states
      expect(refused).toBe(0)
      for (const state of states) expect(state).toEqual(first)
      expect(first.filter((line) => line.startsWith('event:'))).toHaveLength(written)
    }),
    { numRuns: RUNS },
  )
}, 3_600_000)
