import { expect, test } from 'vitest'
import { editNames } from './edit-names.ts'

test('an edit that its fragment holds whole says nothing twice', () => {
  expect(editNames(['const passRate = 1', 'const totalRuns = 1'], 'const passRate = 1\nconst totalRuns = 1')).toEqual(
    {},
  )
  expect(editNames([undefined, 'x'], 'x')).toEqual({})
})

test('a longer one has its names, the most frequent first, and no value that a line calls secret', () => {
  const written = `import { openStore } from './store'\nconst apiKey = deepSecret_9\n${'readRuns()\n'.repeat(400)}passRate()`
  expect(editNames([undefined, written], written.slice(0, 2_000))).toEqual({
    names: ['readRuns', 'openStore', 'apiKey', 'passRate'],
  })
})

test('a name that is cut off where looking ends is none', () => {
  const before = 'readRuns() '.repeat(1_900).slice(0, 19_990)
  expect(editNames([`${before} passRateOfRuns()`], 'x')).toEqual({ names: ['readRuns'] })
})
