import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canPatternsOverlap } from './path-pattern.ts'

describe('two patterns meet', () => {
  test.each([
    ['src/a.ts', 'src/a.ts'],
    ['src/a.ts', 'src/*.ts'],
    ['src', 'src/deep/a.ts'],
    ['src/', 'src/a.ts'],
    ['src/**', 'src'],
    ['src/**/*.test.ts', 'src/core/deep/x.test.ts'],
    ['**/auth.ts', 'lib/auth.ts'],
    ['**/auth.ts', 'auth.ts'],
    ['src/*/index.ts', 'src/**/index.ts'],
    ['src/{a,b}.ts', 'src/b.ts'],
    ['src/[ab].ts', 'src/a.ts'],
    ['a?c', 'abc'],
    ['**', 'anything/at/all'],
  ])('%s and %s', (a, b) => {
    expect([canPatternsOverlap(a, b), canPatternsOverlap(b, a)]).toEqual([true, true])
  })

  test.each([
    ['src/a.ts', 'src/b.ts'],
    ['src/a.ts', 'src/a.tsx'],
    ['src', 'srcs/a.ts'],
    ['*.ts', 'src/a.ts'],
    ['src/**/*.ts', 'src/a.js'],
    ['**/auth.ts', 'src/login.ts'],
    ['src/a.ts', 'src/a.ts/b.ts'],
    ['src/{a,b}.ts', 'src/c.ts'],
    ['', 'src/a.ts'],
  ])('but not %s and %s', (a, b) => {
    expect([canPatternsOverlap(a, b), canPatternsOverlap(b, a)]).toEqual([false, false])
  })

  test('every path meets itself and the folders above it, and it does not matter who asks', () => {
    const segment = fc.stringMatching(/^[a-z*?]{1,6}$/)
    const path = fc.array(segment, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(path, path, (a, b) => {
        expect(canPatternsOverlap(a.join('/'), a.join('/'))).toBe(true)
        expect(canPatternsOverlap(a.join('/'), [...a, ...b].join('/'))).toBe(true)
        expect(canPatternsOverlap(a.join('/'), b.join('/'))).toBe(canPatternsOverlap(b.join('/'), a.join('/')))
      }),
    )
  })

  test('a pattern made to be slow is answered all the same', () => {
    expect(canPatternsOverlap(`${'**/'.repeat(60)}a`, `${'x/'.repeat(60)}b`)).toBe(true)
    expect(canPatternsOverlap(`${'*a'.repeat(120)}b`, 'a'.repeat(250))).toBe(false)
  })
})
