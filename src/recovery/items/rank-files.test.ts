import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { fileItems, worthNaming } from './rank-files.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

const of = (...chances: readonly number[]) => chances.map((opened) => ({ chance: { opened, edited: opened / 2 } }))

test('where few stand out, these are named alone', () => {
  expect(worthNaming(of(0.9, 0.8, 0.02, 0.02, 0.02, 0.02)).length).toBe(2)
})

test('where none stands out, more are named', () => {
  expect(worthNaming(of(...Array.from({ length: 12 }, () => 0.1))).length).toBe(12)
})

test('of any files the likeliest are named, and none where there are none', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.001, max: 0.999, noNaN: true }), { maxLength: 40 }), (chances) => {
      const all = of(...chances.toSorted((a, b) => b - a))
      const named = worthNaming(all)
      expect(named).toEqual(all.slice(0, named.length))
      expect(named.length > 0).toBe(all.length > 0)
    }),
  )
})

test('what only came up is named where it is not far less likely than the likeliest file', () => {
  const namedBeside = (opened: number) => {
    const touched = { path: 'src/a.ts', action: 'edited', reads: 1, edits: 1, lastOrder: 2 } as const
    const work = {
      files: [{ ...touched, chance: { opened, edited: opened / 2 } }],
      named: [{ path: 'src/b.ts', chance: { opened: 0.06, edited: 0.05 }, lastOrder: 1 }],
    }
    return fileItems(toUncheckedView(mergeCheckpoints([aCheckpointOf(work)]))).map(({ text }) => text)
  }
  expect(namedBeside(0.2)).toEqual(['src/a.ts', 'src/b.ts'])
  expect(namedBeside(0.9)).toEqual(['src/a.ts'])
})

test('a name that is the end of a path which was opened is not told beside it', () => {
  const chance = { opened: 0.5, edited: 0.2 }
  const work = {
    files: [{ path: 'src/core/a.ts', action: 'read', reads: 1, edits: 0, lastOrder: 2, chance } as const],
    named: ['a.ts', 'core/a.ts', 'ra.ts', 'src/a.ts'].map((path) => ({ path, chance, lastOrder: 1 })),
  }
  const told = fileItems(toUncheckedView(mergeCheckpoints([aCheckpointOf(work)]))).map(({ text }) => text)
  expect(told.toSorted()).toEqual(['ra.ts', 'src/a.ts', 'src/core/a.ts'])
})
