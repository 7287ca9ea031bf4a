import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoteShellWord } from './command-line.ts'

const TEXTS = [
  '/home/ada/.holdfast',
  '/Users/ada lovelace/it’s',
  "a'b''c",
  '$HOME `id` "x" \\ !',
  '(shop)/[id]*?',
  '~',
  '',
]

test('a plain path stays as it is, anything else is quoted', () => {
  expect(['/a-b/c.d_e', '/a b', "/it's"].map(quoteShellWord)).toEqual(['/a-b/c.d_e', "'/a b'", `'/it'\\''s'`])
})

test.skipIf(process.platform === 'win32')('a shell reads back what was written', () => {
  const script = `for word in ${TEXTS.map(quoteShellWord).join(' ')}; do printf '%s\\n' "$word"; done`
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })).toBe(`${TEXTS.join('\n')}\n`)
})
