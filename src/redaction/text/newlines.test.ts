import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const TOKEN = 'aQ9xZk3P0vLm8Rt2WyB7'

describe('a text with escaped newlines and tabs', () => {
  test.each([
    ['between quotes', String.raw`password="ab\nc9"`, 'password="[REDACTED:password]"'],
    ['a tab', String.raw`password: "ab\tc9!"`, 'password: "[REDACTED:password]"'],
    ['between tags', String.raw`<password>ab\nc9</password>`, '<password>[REDACTED:password]</password>'],
  ])('may have one in a value: %s', (_, text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
  })

  test.each([
    ['in a line of its own between tags', `<apiToken>\n    ${TOKEN}\n</apiToken>\n`],
    ['in a line of an env file', `A=1\nAPI_TOKEN=${TOKEN}\nB=2\n`],
    ['between quotes, in the line behind its name', `const secret =\n  '${TOKEN}'\nconst other = 1\n`],
  ])('loses the secret and nothing around it: %s', (_, file) => {
    const clean = file.replace(TOKEN, '[REDACTED:secret]')
    expect(redactor.redact(file)).toBe(clean)
    expect(redactor.redact(JSON.stringify({ file }))).toBe(JSON.stringify({ file: clean }))
    const nested = (text: string) => JSON.stringify({ a: JSON.stringify({ text }) })
    expect(redactor.redact(nested(file))).toBe(nested(clean))
  })
})
