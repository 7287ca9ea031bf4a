import { expect, test } from 'vitest'
import { createRedactor } from '../../../redaction/redactor.ts'
import { redactJsonLine } from './redact.ts'

const redactor = createRedactor()

test('hands the id back and the text without its secrets', () => {
  expect(redactJsonLine('{"id":7,"text":"password: hunter2","more":1}', redactor)).toEqual({
    ok: true,
    line: '{"id":7,"redacted":"password: [REDACTED:password]"}',
  })
})

test.each([
  ['{"id":', 'not a JSON object.'],
  ['null', 'not a JSON object.'],
  ['[1]', '"id" must be a string or a number.'],
  ['{"id":{},"text":""}', '"id" must be a string or a number.'],
  ['{"id":"a"}', '"text" must be a string.'],
])('says what is wrong with %s', (line, reason) => {
  expect(redactJsonLine(line, redactor)).toEqual({ ok: false, reason })
})
