import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MARK_STATUSES } from '../../kernel/checklist.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { markItem } from './mark.ts'
import { parseChecklist } from './parse.ts'

describe('marking changes the marker and nothing else', () => {
  test.each([
    ['\uFEFF# A\r\n\r\n-  [ ]  one  \r\n* [-] two', 'one', 'done', '\uFEFF# A\r\n\r\n-  [x]  one  \r\n* [-] two'],
    ['1. [x] one\n', 'one', 'verified', '1. ✅ one\n'],
    ['- ✅ one\n', 'one', 'in_progress', '- [/] one\n'],
    ['✅one\n✅ two\n', 'one', 'pending', '- [ ] one\n✅ two\n'],
    ['- [✅] a\n- [ ] one', 'one', 'verified', '- [✅] a\n- [✅] one'],
    ['- [X] a\n- [ ] one', 'one', 'done', '- [X] a\n- [X] one'],
    ['> - [ ] one', 'one', 'blocked', '> - [~] one'],
    ['- [x] one', 'one', 'done', '- [x] one'],
  ] as const)('%j: %s as %s', (text, wanted, status, expected) => {
    expect(markItem(text, wanted, status).text).toBe(expected)
  })
})

function getError(run: () => unknown): string {
  try {
    run()
  } catch (thrown) {
    return thrown instanceof HoldfastError ? `${thrown.code}: ${thrown.message} ${thrown.hint}` : String(thrown)
  }
  return 'nothing was refused'
}

test('an unknown item is refused with the closest ones', () => {
  expect(getError(() => markItem('- [ ] write the parser\n- [ ] paint it', 'write a parsr the', 'done'))).toMatch(
    /^not-found: No item matches "write a parsr the"\. Closest: [0-9a-f]{10} "write the parser" \(line 1\)\.$/,
  )
})

test('a name that fits two items is refused with both ids', () => {
  expect(getError(() => markItem('- [ ] tests for a\n- [ ] tests for b', 'tests', 'done'))).toMatch(
    /^conflict: "tests" matches 2 items/,
  )
})

test('a line that would stop being an item is refused', () => {
  expect(getError(() => markItem('text\n        ✅ one', 'one', 'pending'))).toMatch(/^unsupported: Line 2 cannot/)
})

const line = fc.oneof(
  fc.constantFrom(
    '',
    '# A',
    '## B',
    '```',
    '- [ ] x',
    '  - [x] y',
    '* [?] z',
    '1. [~] w',
    '✅ v',
    '- ✅ u',
    '> - [ ] q',
    '| ✅ | t |',
    'plain',
    '<!-- c -->',
    '    code',
  ),
  fc.stringMatching(/^[-*+] \[[ x~/>X]\] [a-z✅*` ]{1,12}$/),
)
const document = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('\n', '\r\n', '\r'), fc.constantFrom('', '\uFEFF'))
  .map(([lines, end, mark]) => mark + lines.join(end))

test('mark, then read: one status changed, every other byte and item as it was', () => {
  let marked = 0
  fc.assert(
    fc.property(document, fc.nat(), fc.constantFrom(...MARK_STATUSES), (text, pick, status) => {
      const items = parseChecklist(text)
      const item = items[pick % Math.max(1, items.length)]
      if (item === undefined) return
      let result: ReturnType<typeof markItem>
      try {
        result = markItem(text, item.id, status)
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'unsupported' })
        return
      }
      marked += 1
      expect(parseChecklist(result.text).map(({ id, status: now }) => [id, now])).toEqual(
        items.map((other) => [other.id, other.id === item.id ? status : other.status]),
      )
      const before = text.split(/\r\n|\n|\r/)
      const after = result.text.split(/\r\n|\n|\r/)
      expect(after.filter((_, n) => n !== item.line - 1)).toEqual(before.filter((_, n) => n !== item.line - 1))
      expect(after[item.line - 1]?.endsWith(item.text)).toBe(before[item.line - 1]?.endsWith(item.text))
    }),
    { numRuns: 500 },
  )
  expect(marked).toBeGreaterThan(100)
})
