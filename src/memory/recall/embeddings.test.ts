import { expect, test } from 'vitest'
import { measureSimilarity } from './embeddings.ts'
import { decodeWordTable, encodeWordTable, tableEmbeddings, type WordTable } from './embeddings.ts'

const TABLE: WordTable = {
  dimensions: 2,
  neighbours: 2,
  words: 'car lorry pear the',
  weights: Uint8Array.from([255, 255, 255, 5]),
  vectors: Int8Array.from([100, 0, 90, 20, 0, 127, -100, -100]),
  nearest: Uint8Array.from([1, 2, 0, 2, 1, 0, 2, 0].flatMap((row) => [row, 0])),
}
const embeddings = tableEmbeddings(TABLE)

test('a table is read back as it was written', () => {
  expect(decodeWordTable(encodeWordTable(TABLE))).toEqual(TABLE)
})

test('bytes that are not a whole table are rejected', () => {
  const bytes = encodeWordTable(TABLE)
  for (const damaged of [bytes.slice(0, -1), bytes.slice(1), new Uint8Array(), Uint8Array.from([10, 10, 10])]) {
    expect(decodeWordTable(damaged)).toBeUndefined()
  }
})

test('similar words are close, others are not, and unknown ones have no vector', () => {
  const [car, lorry, pear] = ['car', 'lorry', 'pear'].map((term) => embeddings.embed([term]) ?? new Float32Array(2))
  if (car === undefined || lorry === undefined || pear === undefined) throw new Error('The table has these words.')
  expect(measureSimilarity(car, lorry)).toBeGreaterThan(0.9)
  expect(measureSimilarity(car, pear)).toBe(0)
  expect(embeddings.embed(['unheard'])).toBeUndefined()
})

test('a common word hardly moves a text', () => {
  const [plain, wordy] = [embeddings.embed(['car']), embeddings.embed(['the', 'car', 'car'])]
  expect(measureSimilarity(plain ?? new Float32Array(2), wordy ?? new Float32Array(2))).toBeGreaterThan(0.99)
})

test('the nearest words come best first, without the word itself', () => {
  expect(embeddings.related('car', 2).map(({ term }) => term)).toEqual(['lorry', 'pear'])
  expect(embeddings.related('car', 1).map(({ term }) => term)).toEqual(['lorry'])
  expect(embeddings.related('car', 9).map(({ term }) => term)).toEqual(['lorry', 'pear'])
  expect(embeddings.related('car', 0)).toEqual([])
  expect(embeddings.related('unheard', 2)).toEqual([])
})
