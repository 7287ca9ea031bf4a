import { expect, test } from 'vitest'
import { createRedactor } from '../../redaction/redactor.ts'
import { bounded } from './bounds.ts'

const MAX_CHARS = 1_000
const LINE = 'the quick brown fox jumps over the lazy dog and runs on to the next line\n'

test('no cut separates a secret from the name that it is recognised by', () => {
  const redactor = createRedactor()
  const secret = 'hT7kPq2ZvLw9'
  const named = `- name: DB_PASSWORD\n  value: ${secret}\n`
  const leaks: number[] = []
  // The secret stands at every place around both ends of the cut.
  for (let before = 0; before < 1_200; before += 1) {
    const text = `${LINE.repeat(20).slice(0, before)}\n${named}${LINE.repeat(20).slice(0, 1_200 - before)}`
    if (redactor.redact(bounded(text, MAX_CHARS) ?? '').includes(secret)) leaks.push(before)
  }
  expect(leaks).toEqual([])
})

test('a text within its limit is left as it is, for the redactor that knows the project', () => {
  expect(bounded('password: hT7kPq2ZvLw9', MAX_CHARS)).toBe('password: hT7kPq2ZvLw9')
})
