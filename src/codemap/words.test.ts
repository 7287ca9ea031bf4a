import { expect, test } from 'vitest'
import { countWords, digestOf } from './words.ts'

test('words are counted, short ones left out', () => {
  expect(countWords('open(a, open, $id) // ab open')).toEqual({
    digests: Uint32Array.of(digestOf('open'), digestOf('$id')),
    counts: Uint8Array.of(3, 1),
  })
})

test('a long file keeps the words it uses most', () => {
  const rare = Array.from({ length: 600 }, (_, n) => `rare${n}`).join(' ')
  const { digests, counts } = countWords(`${rare} ${'often '.repeat(300)}`)
  expect([digests.length, digests[0], counts[0]]).toEqual([500, digestOf('often'), 255])
})
