import { expect, test } from 'vitest'
import { asKnownFiles } from './paths.ts'

const KNOWN = ['src/parser.ts', 'src/web/index.ts', 'src/api/index.ts', 'README.md']

test.each([
  ['its whole path', ['src/parser.ts'], ['src/parser.ts']],
  ['its last parts', ['parser.ts', 'web/index.ts'], ['src/parser.ts', 'src/web/index.ts']],
  ['with a module before it', ['example.org/tool/src/parser.ts'], ['src/parser.ts']],
])('a file that is known is known by %s', (_, written, meant) => {
  expect(asKnownFiles(written, KNOWN)).toEqual(meant)
})

test('a name that fits several says nothing', () => {
  expect(asKnownFiles(['index.ts'], KNOWN)).toEqual([])
})

test('a stranger stays as it is written, also where a known file at the top has its name', () => {
  expect(asKnownFiles(['lib/lexer.ts', 'docs/README.md'], KNOWN)).toEqual(['lib/lexer.ts', 'docs/README.md'])
})

test('what TypeScript imports as JavaScript is its source', () => {
  expect(asKnownFiles(['parser.js', 'web/index.jsx', 'lib/other.js'], KNOWN)).toEqual([
    'src/parser.ts',
    'src/web/index.ts',
    'lib/other.js',
  ])
})

test('a text that names a JavaScript file and its TypeScript has both', () => {
  expect(asKnownFiles(['src/parser.js', 'src/parser.ts'], KNOWN)).toEqual(['src/parser.js', 'src/parser.ts'])
})

test('the same file under two names is one', () => {
  expect(asKnownFiles(['parser.ts', 'src/parser.ts', 'x/y.ts', 'x/y.ts'], KNOWN)).toEqual(['src/parser.ts', 'x/y.ts'])
})
