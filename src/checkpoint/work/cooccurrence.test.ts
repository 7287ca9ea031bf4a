import { describe, expect, test } from 'vitest'
import { computeCooccurrence, withNameGroup } from './identifier-weights.ts'
import { emptyWork, LIMITS, parseWork, type NameGroup } from './state.ts'

const entry = (name: string) => ({ name, asked: 0, said: 0, acted: 0, shown: 1, sightings: 1, lastOrder: 1 })
const identifiers = ['passRate', 'totalRuns', 'readFile', 'openPort'].map(entry)

function companions(scenes: readonly NameGroup[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...computeCooccurrence({ scenes, identifiers })].map(([name, share]) => [name, Math.round(share * 100) / 100]),
  )
}

describe('the company that names keep', () => {
  test('a name co-occurs that was seen with a mentioned one', () => {
    const shown = [
      { order: 1, kind: 'shown', names: ['passRate', 'totalRuns'] },
      { order: 2, kind: 'shown', names: ['readFile', 'openPort'] },
    ] as const
    expect(companions([...shown, { order: 9, kind: 'said', names: ['passRate'] }])).toEqual({
      passRate: 0,
      totalRuns: 1,
    })
  })

  test('a recent mention counts more than an earlier one', () => {
    const scenes: readonly NameGroup[] = [
      { order: 1, kind: 'acted', names: ['passRate', 'totalRuns'] },
      { order: 2, kind: 'acted', names: ['readFile', 'openPort'] },
      { order: 20, kind: 'asked', names: ['passRate'] },
      { order: 50, kind: 'said', names: ['readFile'] },
    ]
    expect(companions(scenes)).toEqual({ passRate: 0, totalRuns: 0.2, readFile: 0, openPort: 0.8 })
  })

  test('what was spoken of very long ago still tells who was in its company', () => {
    const scenes: readonly NameGroup[] = [
      { order: 1, kind: 'said', names: ['passRate'] },
      { order: 90_000, kind: 'shown', names: ['passRate', 'totalRuns'] },
    ]
    expect(companions(scenes)).toEqual({ passRate: 0, totalRuns: 1 })
  })

  test('nobody keeps company where nothing was spoken of, or of names that are gone', () => {
    expect(companions([{ order: 1, kind: 'shown', names: ['passRate', 'totalRuns'] }])).toEqual({})
    expect(companions([{ order: 1, kind: 'said', names: ['passRate', 'goneName'] }])).toEqual({})
    expect(computeCooccurrence({ identifiers })).toEqual(new Map())
  })
})

describe('scenes', () => {
  test('a lone name is kept only where somebody spoke of it', () => {
    expect(withNameGroup([], { order: 1, kind: 'shown', names: ['passRate'] })).toEqual([])
    expect(withNameGroup(undefined, { order: 1, kind: 'said', names: ['passRate'] })).toEqual([
      { order: 1, kind: 'said', names: ['passRate'] },
    ])
  })

  test('there are never more than the limits say', () => {
    const names = Array.from({ length: 90 }, (_, at) => `name_${at}`)
    let scenes: readonly NameGroup[] = []
    for (let order = 1; order <= 200; order += 1) scenes = withNameGroup(scenes, { order, kind: 'shown', names })
    expect([scenes.length, scenes[0]?.order, scenes[0]?.names.length]).toEqual([
      LIMITS.scenes,
      201 - LIMITS.scenes,
      LIMITS.sceneNames,
    ])
  })
})

test('a state that was kept before there were scenes is read as it is', () => {
  const before = emptyWork()
  expect(parseWork(JSON.stringify(before))).toEqual(before)
  const scene = { order: 1, kind: 'said', names: ['passRate'] }
  const after = { ...before, scenes: [scene, { ...scene, path: 'src/rate.ts' }] }
  expect(parseWork(JSON.stringify(after))).toEqual(after)
  for (const damaged of [
    { ...scene, names: [1] },
    { ...scene, path: 1 },
  ])
    expect(parseWork(JSON.stringify({ ...before, order: 5, scenes: [damaged] }))).toEqual(before)
})
