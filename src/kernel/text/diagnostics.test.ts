import { expect, test } from 'vitest'
import { findDiagnostics } from './diagnostics.ts'

const lint = { limit: 6, isTest: false }

test.each([
  [
    'golangci-lint behind a task runner',
    '[lint:go] cmd/cli/review.go:113:17: string `codex` has 6 occurrences, make it a constant (goconst)\n[lint:go] \tif name != "codex" {',
    ['review.go:113', 'string `codex` has 6 occurrences, make it a constant (goconst)'],
  ],
  [
    'tsc',
    "src/index.ts(11,7): error TS2741: Property 'props' is missing in type",
    ['index.ts:11', "TS2741: Property 'props' is missing in type"],
  ],
  ['go build', 'cmd/cli/resume.go:156:23: undefined: strategy', ['resume.go:156', 'undefined: strategy']],
  ['ruff', 'app/main.py:3:8: F401 `os` imported but unused', ['main.py:3', 'F401 `os` imported but unused']],
])('finds what %s says of a place', (_, output, [place, text]) => {
  expect(findDiagnostics(output, lint)).toEqual([{ place, text }])
})

test('of a test, only lines that say what is wrong', () => {
  const output = `=== RUN   TestA
    store_test.go:65: user makes edits between checkpoints
    store_test.go:79: agent lines should be 5, got 0
    hooks.go:196: Hook output: 2026/02/09 INFO not stored
--- FAIL: TestA (0.69s)`
  expect(findDiagnostics(output, { limit: 6, isTest: true })).toEqual([
    { place: 'store_test.go:79', text: 'agent lines should be 5, got 0' },
  ])
})

test('says each thing once, and no more than the limit', () => {
  const line = (at: number, text: string) => `src/a.go:${at}:1: ${text}`
  const output = [
    line(1, 'one thing is unused'),
    line(2, 'one thing is unused'),
    line(3, 'another is unused'),
    line(4, 'a third is unused'),
  ]
  expect(findDiagnostics(output.join('\n'), { limit: 2, isTest: false }).map(({ place }) => place)).toEqual([
    'a.go:1',
    'a.go:3',
  ])
})

test('frames of a stack and prose are left out', () => {
  expect(
    findDiagnostics('    at run (src/a.ts:3:1)\nSee docs/a.md for more.\nsrc/a.ts:12: at parse (src/b.ts)', lint),
  ).toEqual([])
})
