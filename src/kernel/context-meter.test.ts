import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BANDS, EMPTY_METER, updateMeter, type ContextLimits, type ContextMeter } from './context-meter.ts'

const limits: ContextLimits = {
  windowTokens: 200_000,
  percent: { buffer: 60, autosave: 70, fork: 80 },
  refreshEveryTokens: 50_000,
}

/** Every crossing of a run of measurements, in order. */
function crossings(all: readonly number[], from: ContextMeter = EMPTY_METER) {
  let meter = from
  return all.map((tokens) => {
    const step = updateMeter(meter, tokens, limits)
    meter = step.meter
    return { tokens, crossed: step.crossed, flushed: step.flushed }
  })
}

const bandsOf = (all: readonly number[]) => crossings(all).flatMap(({ crossed }) => crossed)

describe('bands', () => {
  test('each fires once while the context fills up, at its own share', () => {
    expect(
      crossings([119_999, 120_000, 130_000, 140_000, 150_000, 160_000, 190_000]).map(({ crossed }) => crossed),
    ).toEqual([[], ['buffer'], [], ['autosave'], [], ['fork'], []])
  })

  test('a jump over several fires each of them, the lowest first', () => {
    expect(bandsOf([10_000, 185_000])).toEqual(['buffer', 'autosave', 'fork'])
  })

  test('a small step back over the edge and forward again fires nothing', () => {
    expect(bandsOf([121_000, 119_500, 121_000, 118_000, 125_000])).toEqual(['buffer'])
  })

  test('after a compaction they are armed again', () => {
    expect(bandsOf([165_000, 30_000, 165_000])).toEqual([...BANDS, ...BANDS])
    const { meter } = updateMeter(EMPTY_METER, 165_000, limits)
    expect(meter.fired).toEqual([...BANDS])
    expect(updateMeter(EMPTY_METER, 125_000, limits).crossed).toEqual(['buffer'])
  })

  test('a value that is not a token count changes nothing', () => {
    const { meter } = updateMeter(EMPTY_METER, 125_000, limits)
    for (const tokens of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      expect(updateMeter(meter, tokens, limits)).toEqual({ meter, crossed: [] })
    }
  })
})

test('a refresh is due every fifty thousand tokens taken in, whatever came between', () => {
  expect(crossings([30_000, 49_999, 50_000, 90_000, 100_500, 150_400, 150_500]).map(({ flushed }) => flushed)).toEqual([
    undefined,
    undefined,
    50_000,
    undefined,
    50_500,
    undefined,
    50_000,
  ])
  expect(crossings([120_000, 20_000, 60_000, 70_000]).map(({ flushed }) => flushed)).toEqual([
    120_000,
    undefined,
    undefined,
    50_000,
  ])
})

const tokenRuns = fc.array(fc.integer({ min: 0, max: 220_000 }), { maxLength: 60 })

test('between two firings of a band the context was below it', () => {
  fc.assert(
    fc.property(tokenRuns, (all) => {
      for (const band of BANDS) {
        const floor = (limits.windowTokens * limits.percent[band]) / 100
        let wasBelow = true
        for (const { tokens, crossed } of crossings(all)) {
          if (tokens < floor) wasBelow = true
          if (!crossed.includes(band)) continue
          expect({ wasBelow, isAbove: tokens >= floor }).toEqual({ wasBelow: true, isAbove: true })
          wasBelow = false
        }
      }
    }),
  )
})

test('a run that only grows fires what its end is above, once each, however many measurements are left out', () => {
  fc.assert(
    fc.property(tokenRuns, fc.array(fc.boolean(), { maxLength: 60 }), (all, kept) => {
      const grown = all.toSorted((a, b) => a - b)
      const last = grown.at(-1) ?? 0
      const expected = BANDS.filter((band) => last >= (limits.windowTokens * limits.percent[band]) / 100)
      const withGaps = [...grown.filter((_, at) => kept[at] === true), ...(grown.length > 0 ? [last] : [])]
      expect(bandsOf(grown)).toEqual(expected)
      expect(bandsOf(withGaps)).toEqual(expected)
    }),
  )
})

test('the same measurement twice fires nothing the second time', () => {
  fc.assert(
    fc.property(tokenRuns, fc.integer({ min: 0, max: 220_000 }), (all, tokens) => {
      const steps = crossings([...all, tokens, tokens])
      expect(steps.at(-1)).toEqual({ tokens, crossed: [], flushed: undefined })
    }),
  )
})
