import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseChecklist } from './parse.ts'

function shown(text: string): readonly string[] {
  return parseChecklist(text).map(({ line, section, status, text: said }) => `${line} ${section} ${status} ${said}`)
}

describe('an item is', () => {
  test.each([
    ['- [ ] a', 'pending'],
    ['* [x] a', 'done'],
    ['+ [X] a', 'done'],
    ['1. [ ] a', 'pending'],
    ['12) [/] a', 'in_progress'],
    ['- [>] a', 'in_progress'],
    ['- [~] a', 'blocked'],
    ['- [✅] a', 'verified'],
    ['- [✔️] a', 'done'],
    ['- ✅ a', 'verified'],
    ['✅ a', 'verified'],
    ['✅️ a', 'verified'],
    ['- [-] a', 'other'],
    ['- [?] a', 'other'],
    ['-\t[ ]\ta', 'pending'],
    ['   - [ ] a', 'pending'],
    ['> - [ ] a', 'pending'],
    ['- - [ ] a', 'pending'],
    ['- [\u00a0] a', 'pending'],
  ])('%j', (text, status) => {
    expect(shown(text)).toEqual([`1 General ${status} a`])
  })
})

describe('no item is', () => {
  test.each([
    '- [ ]nospace',
    '- [ ]',
    '- []  a',
    '- [xx] a',
    '- [x](https://example.org) a link',
    '[ ] a paragraph',
    '# ✅ a heading',
    '| ✅ | a cell |\n|---|---|\n| ✅ | another |',
    '```\n- [ ] in a fence\n```',
    '~~~~\n- [ ] in a fence\n```\n- [ ] still in it\n~~~~',
    '    - [ ] indented code',
    '- a\n\n      - [ ] code in a list',
    '<!--\n- [ ] in a comment\n-->',
    '<pre>\n- [ ] preformatted\n</pre>',
    'see ✅ here',
    '---\n✅ yaml: front matter\n---',
    '',
  ])('%j', (text) => {
    expect(parseChecklist(text)).toEqual([])
  })
})

test('headings in fences and quotes, and what only looks like one under a list, begin no section', () => {
  const text = [
    '- [ ] before',
    '# One #',
    '```sh',
    '# not a heading',
    '```',
    '- [ ] a',
    '  - [x] nested',
    '    1. [~] deeper',
    'Two',
    '---',
    '> # quoted',
    '',
    '* [/] b',
    '✅ c',
    '✅ d',
  ].join('\n')
  expect(shown(text)).toEqual([
    '1 General pending before',
    '6 One pending a',
    '7 One done nested',
    '8 One blocked deeper',
    '13 One in_progress b',
    '14 One verified c',
    '15 One verified d',
  ])
})

test('a setext heading after a blank line begins a section', () => {
  expect(shown('# One\n- [ ] a\n\nTwo\n===\n\n- [ ] b')).toEqual(['2 One pending a', '7 Two pending b'])
})

test('a stated verification belongs to the item it stands in or under', () => {
  const text = '- [ ] a (verify: `npm test`, expect `12 passed`)\n- [ ] b\n  - **Verify:** `make check`\n- [ ] c\n'
  expect(parseChecklist(text).map((item) => item.verification)).toEqual([
    { command: 'npm test', expect: '12 passed' },
    { command: 'make check' },
    undefined,
  ])
})

test('equal items of one section have ids of their own', () => {
  const ids = parseChecklist('# A\n- [ ] test\n- [x] **test**\n# B\n- [ ] test').map((item) => item.id)
  expect(new Set(ids).size).toBe(3)
  expect(ids[1]).toBe(`${ids[0]}-2`)
})

test('line numbers and ids are the same for LF, CRLF, CR and a byte order mark', () => {
  const text = '# A\n\n- [ ] one\n- ✅ two\n'
  const plain = parseChecklist(text).map(({ id, line, section }) => ({ id, line, section }))
  for (const variant of [text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r'), `\uFEFF${text}`])
    expect(parseChecklist(variant).map(({ id, line, section }) => ({ id, line, section }))).toEqual(plain)
})

const snippet = fc.constantFrom(
  '- ',
  '* [ ] ',
  '[x] ',
  '✅',
  '\n',
  '\r\n',
  '\r',
  '  ',
  '\t',
  '```',
  '#',
  '> ',
  '1. ',
  '|',
  '<!--',
  '---',
  'a',
  '\0',
  '\uFEFF',
  '\ud800',
)
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(snippet, { maxLength: 60 }).map((parts) => parts.join('')),
)

test('any text can be read, and each item stands where it says', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { markerStart, marker } of parseChecklist(text))
        expect(text.slice(markerStart, markerStart + marker.written.length)).toBe(marker.written)
    }),
    { numRuns: 300 },
  )
})

const itemText = fc.stringMatching(/^[a-z][a-z ]{0,20}$/).map((text) => text.trim())

test('ids survive whatever is written above and below', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(itemText, { minLength: 1, maxLength: 8 }),
      fc.array(itemText),
      fc.array(itemText),
      (own, above, below) => {
        const block = `## Own\n\n${own.map((text) => `- [ ] ${text}`).join('\n')}\n\n`
        const around = `# Above\n\n${above.map((text) => `- [x] ${text}`).join('\n')}\n\n${block}# Below\n\n${below.join('\n')}\n`
        const ids = parseChecklist(block).map((item) => item.id)
        expect(
          parseChecklist(around)
            .filter((item) => item.section === 'Own')
            .map((item) => item.id),
        ).toEqual(ids)
      },
    ),
    { numRuns: 100 },
  )
})
