import { expect, test } from 'vitest'
import { createStartBackoff } from './daemon-start.ts'

function startsWithin(ms: number, start: (nowMs: number) => boolean = () => true): readonly number[] {
  const starts: number[] = []
  let nowMs = 0
  const ask = createStartBackoff(
    () => {
      if (!start(nowMs)) return false
      starts.push(nowMs)
      return true
    },
    () => nowMs,
  )
  for (; nowMs <= ms; nowMs += 20) ask()
  return starts
}

test('a daemon that never comes up is started less and less often', () => {
  expect(startsWithin(15_000)).toEqual([0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100, 9_100, 11_100, 13_100])
})

test('while somebody else is starting one, asking costs no patience', () => {
  expect(startsWithin(1_100, (nowMs) => nowMs >= 1_000)).toEqual([1_000, 1_100])
})
