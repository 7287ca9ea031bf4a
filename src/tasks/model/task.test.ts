import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HoldfastError } from '../../kernel/errors.ts'
import { isSlug, parseSlug } from './task.ts'

test.each(['feat-user-auth', 'a', '7', 'fix-1234', 'x'.repeat(64)])('takes %j', (slug) => {
  expect(parseSlug(slug)).toBe(slug)
})

test.each([
  '',
  '.',
  '..',
  'a/b',
  'a\\b',
  'Feat',
  'a--b',
  '-a',
  'a-',
  'a b',
  'a.b',
  'ä',
  'nul',
  'com1',
  'x'.repeat(65),
  'a\n',
])('refuses %j and suggests another', (slug) => {
  expect(() => parseSlug(slug)).toThrow(HoldfastError)
  const error = catching(() => parseSlug(slug))
  expect(error.code).toBe('invalid-input')
  expect(isSlug(JSON.parse((error.hint ?? '').slice('Try '.length, -1)))).toBe(true)
})

test('an accepted slug is a plain name without separators or dots', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '-', '.', '/', '\\', '\0', 'Z', '7') })),
      (text) => {
        if (!isSlug(text)) return
        expect(text).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      },
    ),
  )
})

function catching(run: () => unknown): HoldfastError {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}
