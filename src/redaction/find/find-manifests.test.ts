import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()

const secret =
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: some-name\ndata:\n  a: c3VwZXJzZWNyZXQ=\nstringData:\n  b: "swordfish"\n'
const clean =
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: some-name\ndata:\n  a: [REDACTED:secret]\nstringData:\n  b: "[REDACTED:secret]"\n'
const config = secret.replace('kind: Secret', 'kind: ConfigMap').replace('c3VwZXJzZWNyZXQ=', 'c29tZXRoaW5nIGVsc2U=')

function shifted(text: string, margin: string): string {
  return text.replaceAll(/^(?=.)/gm, margin)
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
    .join('\n')
}

describe('the values of a Secret are removed and those of a ConfigMap stay', () => {
  test.each([
    ['as they are', (text: string) => text],
    ['in an added line', (text: string) => shifted(text, '+')],
    ['in a line that was taken out', (text: string) => shifted(text, '-')],
    ['indented', (text: string) => shifted(text, '    ')],
    ['with line numbers', numbered],
    ['in a JSON string', (text: string) => JSON.stringify({ output: text })],
    ['in JSON within JSON', (text: string) => JSON.stringify({ a: JSON.stringify({ output: text }) })],
  ])('%s', (_, write) => {
    expect(redactor.redact(write(secret))).toBe(write(clean))
    expect(redactor.redact(write(config))).toBe(write(config))
  })

  test('in one text, separately', () => {
    expect(redactor.redact(`${config}---\n${secret}`)).toBe(`${config}---\n${clean}`)
  })

  test('in JSON, also where it is a string of another', () => {
    const json = (kind: string, a: string, b: string) => JSON.stringify({ data: { a }, kind, stringData: { b } })
    const text = json('Secret', 'c3VwZXJzZWNyZXQ=', 'sword fish')
    const redacted = json('Secret', '[REDACTED:secret]', '[REDACTED:secret]')
    expect(redactor.redact(text)).toBe(redacted)
    expect(redactor.redact(JSON.stringify({ out: text }))).toBe(JSON.stringify({ out: redacted }))
    const harmless = json('ConfigMap', 'c3VwZXJzZWNyZXQ=', 'sword fish')
    expect(redactor.redact(harmless)).toBe(harmless)
    const notEncoded = json('Secret', 'opaque', '')
    expect(redactor.redact(notEncoded)).toBe(notEncoded)
  })

  test('nested values too', () => {
    expect(redactor.redact('kind: Secret\nstringData:\n  a.yaml: |\n    user: me\n    word: swordfish\n')).toBe(
      'kind: Secret\nstringData:\n  a.yaml: |\n    user: me\n    word: [REDACTED:secret]\n',
    )
  })
})
