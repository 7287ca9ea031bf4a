import { expect, test } from 'vitest'
import { looksOnly } from './looks-only.ts'

test.each([
  'git status --short && git log -3',
  'cd apps && rg -n "a > b" src | head -20',
  "sed -n '1,40p' a.ts 2>/dev/null",
  'find . -name "*.ts" | wc -l',
  'git branch -a 2>&1',
  'gh pr view 12',
])('%s only shows something', (line) => {
  expect(looksOnly(line)).toBe(true)
})

test.each([
  'rm -rf runs',
  'git branch -D old && git status',
  'sed -i s/a/b/ a.ts',
  'echo hi > notes.txt',
  'find . -name "*.tmp" -delete',
  'fleet spawn layout-worker',
  'npm install',
])('%s may change something', (line) => {
  expect(looksOnly(line)).toBe(false)
})
