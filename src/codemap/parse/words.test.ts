import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countWords, hashWord } from './words.ts'

test('words are counted, short ones left out', () => {
  expect(countWords('open(a, open, $id) // ab open')).toEqual({
    digests: Uint32Array.of(hashWord('open'), hashWord('$id')),
    counts: Uint8Array.of(3, 1),
  })
})

test('a long file keeps the words it uses most', () => {
  const rare = Array.from({ length: 600 }, (_, n) => `rare${n}`).join(' ')
  const { digests, counts } = countWords(`${rare} ${'often '.repeat(300)}`)
  expect([digests.length, digests[0], counts[0]]).toEqual([500, hashWord('often'), 255])
})

test('the one pass finds the words that a pattern would', () => {
  const WORD = /[A-Za-z_$\u00aa-\uffdc][\w$\u00aa-\uffdc]{2,63}/g
  const piece = fc.oneof(
    fc.constantFrom(
      'open',
      '_id',
      '$',
      '9',
      ' ',
      '.',
      '\n',
      'a1',
      'größe',
      '\uffdc',
      '\uffdd',
      'x'.repeat(63),
      '7'.repeat(70),
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const source = pieces.join('')
      const expected = new Map<number, number>()
      for (const [word] of source.matchAll(WORD)) expected.set(hashWord(word), (expected.get(hashWord(word)) ?? 0) + 1)
      const { digests, counts } = countWords(source)
      expect(new Map([...digests].map((digest, n) => [digest, counts[n]]))).toEqual(expected)
    }),
    { seed: 20_260_101 },
  )
})
