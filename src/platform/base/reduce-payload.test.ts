import { expect, test } from 'vitest'
import { reducePayload } from './reduce-payload.ts'

const MAX_BYTES = 10_000
const reduce = (value: unknown): unknown => {
  const reduced = reducePayload(JSON.stringify(value), MAX_BYTES)
  if (reduced === undefined) return undefined
  expect(Buffer.byteLength(reduced)).toBeLessThanOrEqual(MAX_BYTES)
  return JSON.parse(reduced)
}

test('long texts keep their first and last lines; everything else stays', () => {
  const content = `${'one two three\n'.repeat(50_000)}12 passed`
  const payload = { session_id: 's1', tool_input: { file_path: '/a.ts', content } }
  expect(reduce(payload)).toEqual({
    session_id: 's1',
    tool_input: {
      file_path: '/a.ts',
      content: expect.stringMatching(
        /^(?:one two three\n)+one two three … \[\d+ characters left out\] … (?:one two three\n)+12 passed$/,
      ),
    },
  })
})

test('a text without a line or a word to end at is left out, so that no half of a secret remains', () => {
  expect(reduce({ prompt: 'x'.repeat(300_000) })).toEqual({ prompt: ' … [300000 characters left out] … ' })
})

test('what cannot be read, or is large by its structure, is not reduced', () => {
  expect(reducePayload('{"prompt": "cut off', MAX_BYTES)).toBeUndefined()
  expect(reduce(Array.from({ length: 9_000 }, (_, index) => index))).toBeUndefined()
})
