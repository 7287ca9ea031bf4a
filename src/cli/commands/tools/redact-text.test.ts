import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plantSecrets, survives } from '../../../../test/support/synthetic-secrets.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import { createTextFilter } from './redact-text.ts'

const redactor = createRedactor()

function filtered(chunks: readonly string[]): string {
  const filter = createTextFilter(redactor)
  return chunks.map((chunk) => filter.push(chunk)).join('') + filter.end()
}

describe('the text filter', () => {
  test('lets whole lines go at once and holds the rest back', () => {
    const filter = createTextFilter(redactor)
    expect(filter.push('one\ntwo\nthr')).toBe('one\ntwo\n')
    expect(filter.push('ee\n')).toBe('three\n')
    expect(filter.push('four')).toBe('')
    expect(filter.end()).toBe('four')
  })

  test('waits for the value of a name at the end of a line', () => {
    expect(filtered(['const apiToken =\n', "  'x7Kq92mTzV4bNcW8'\n"])).toBe("const apiToken =\n  '[REDACTED:secret]'\n")
  })

  test('keeps the lines of one value together', () => {
    const lines = ['signing_key: |\n', '  k3Yq9vTz7mWx2Lp8Rf5Jc1Hn6\n', '  Bd4Gs9QkWe7Zt3Xv8Cu2Ya5Io\n', 'port: 80\n']
    expect(filtered(lines)).toBe('signing_key: |\n[REDACTED:secret]\nport: 80\n')
  })

  test('does not wait for ever: a line without end is let go in pieces', () => {
    const filter = createTextFilter(redactor)
    const chunk = 'x'.repeat(1 << 19)
    expect([filter.push(chunk), filter.push(chunk), filter.push(chunk)].map((out) => out.length)).toEqual([
      0,
      0,
      3 << 19,
    ])
  })

  test('loses nothing and lets no secret through, however the text arrives in pieces', () => {
    const all = plantSecrets(11)
    fc.assert(
      fc.property(
        fc.subarray(all, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }),
        (chosen, sizes) => {
          const text = `${chosen.map((one) => one.text).join('\n\n')}\n`
          const chunks: string[] = []
          for (let from = 0, turn = 0; from < text.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1
            chunks.push(text.slice(from, from + size))
            from += size
          }
          const output = filtered(chunks)
          expect(
            chosen.filter(({ secret }) => survives(secret, output)).map(({ kind, context }) => [kind, context]),
          ).toEqual([])
        },
      ),
      { seed: 20_260_101 },
    )
  })

  test('text without secrets comes out as it went in', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z \n]{0,30}$/)), (chunks) => {
        expect(filtered(chunks)).toBe(chunks.join(''))
      }),
    )
  })
})
