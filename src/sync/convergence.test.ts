import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySteps, type ModelOptions, playModel } from '../../test/support/replica-model.ts'

// 10,000 runs are in test/faults.
const RUNS = 100

async function isConvergent(steps: Parameters<typeof playModel>[0], seed: number, options?: ModelOptions) {
  const { states, written, refused } = await playModel(steps, seed, options)
  const [first = []] = states
  expect(refused).toBe(0)
  for (const state of states) expect(state).toEqual(first)
  expect(first.filter((line) => line.startsWith('event:'))).toHaveLength(written)
}

test('any order of writes, exchanges, crashes and deliveries ends in one state everywhere, with every event', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), (steps, seed) => isConvergent(steps, seed)),
    { numRuns: RUNS },
  )
}, 600_000)

test('what a machine changed before it left and joined again arrives', async () => {
  const write = { do: 'write', machine: 0, text: 1 } as const
  const exchange = { do: 'exchange', crashAt: 0 } as const
  await isConvergent(
    [
      { ...write, thing: 0 },
      { ...write, thing: 1 },
      // The second one joins, is given the key, and reads.
      ...[0, 1, 0, 1].map((machine) => ({ ...exchange, machine })),
      { ...write, thing: 0, text: 2 },
      { do: 'rejoin', machine: 0 },
      { ...exchange, machine: 0 },
    ],
    1,
  )
})

test.each<[string, ModelOptions]>([
  ['a machine that seals again after a crash', { isOutboxLost: true }],
  ['a machine to which the last delivery counts', { isArrivalDeciding: true }],
])('control: %s is found', async (_, options) => {
  const run = fc.check(
    fc.asyncProperty(anySteps, fc.nat(), (steps, seed) => isConvergent(steps, seed, options)),
    { numRuns: 2_000, endOnFailure: true },
  )
  expect((await run).failed).toBe(true)
})
