import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderFileDiff } from './change-diff.ts'

test('shows what changes with a little around it', () => {
  expect(renderFileDiff('s.json', '{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n')).toBe(
    '--- s.json\n+++ s.json\n@@ -1,3 +1,4 @@\n {\n-  "a": 1\n+  "a": 1,\n+  "b": 2\n }\n',
  )
  expect(renderFileDiff('s.json', undefined, '{}\n')).toBe('--- /dev/null\n+++ s.json\n@@ -0,0 +1,1 @@\n+{}\n')
  expect(renderFileDiff('s.json', 'x', 'x')).toBe('')
})

test('property: git apply makes the one text of the other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-diff-'))
  const file = join(folder, 'f')
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 30 })
  try {
    fc.assert(
      fc.property(text, text, fc.boolean(), (before, after, endsLine) => {
        const end = endsLine ? '\n' : ''
        const [from, to] = [`${before.join('\n')}${end}`, `${after.join('\n')}${end}`]
        fc.pre(from !== to)
        writeFileSync(file, from)
        execFileSync('git', ['apply', '-p0', '--whitespace=nowarn', '-'], {
          cwd: folder,
          input: renderFileDiff('f', from, to),
        })
        expect(readFileSync(file, 'utf8')).toBe(to)
      }),
      { numRuns: 40 },
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
