import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plantSecrets } from '../../test/support/synthetic-secrets.ts'
import { redactDeep } from './redact-deep.ts'
import { redactInput } from './redact-input.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()

function drawn(seed: string, chars: number): string {
  const text = [0, 1, 2, 3].map((n) => createHash('sha512').update(`${seed}${n}`).digest('base64').replace(/\W/g, 'x'))
  return text.join('').slice(0, chars)
}

const BODY = Array.from({ length: 6 }, (_, line) => drawn(`line ${line}`, 64))

function pem(label: string, headers: readonly string[] = []): readonly string[] {
  return [`-----BEGIN ${label}-----`, ...headers, ...BODY, `-----END ${label}-----`]
}

const ENCODED = Buffer.from(pem('RSA PRIVATE KEY').join('\n')).toString('base64')
const ENCODED_LINES = ENCODED.match(/.{1,76}/g) ?? []

const KEYS: Readonly<Record<string, readonly string[]>> = {
  'PKCS 8': pem('PRIVATE KEY'),
  RSA: pem('RSA PRIVATE KEY'),
  EC: pem('EC PRIVATE KEY'),
  OpenSSH: pem('OPENSSH PRIVATE KEY'),
  encrypted: pem('ENCRYPTED PRIVATE KEY'),
  'encrypted RSA': pem('RSA PRIVATE KEY', ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0123456789ABCDEF', '']),
  PGP: pem('PGP PRIVATE KEY BLOCK', ['Version: GnuPG v2', '']),
  SSH2: [
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
    'Comment: "me"',
    ...BODY,
    '---- END SSH2 ENCRYPTED PRIVATE KEY ----',
  ],
  PuTTY: [
    'PuTTY-User-Key-File-3: ssh-rsa',
    'Encryption: none',
    'Private-Lines: 6',
    ...BODY,
    `Private-MAC: ${'0a1b2c3d'.repeat(8)}`,
  ],
}

type Form = (lines: readonly string[]) => string

const FORMS: Readonly<Record<string, Form>> = {
  lines: (lines) => lines.join('\n'),
  'CRLF newlines': (lines) => lines.join('\r\n'),
  'escaped newlines': (lines) => lines.join('\\n'),
  'a JSON string': (lines) => JSON.stringify({ text: lines.join('\n') }),
  'JSON in a JSON string': (lines) => JSON.stringify({ text: JSON.stringify({ inner: lines.join('\n') }) }),
  'a JSON list': (lines) => JSON.stringify(lines, undefined, 2),
  'added lines of a diff': (lines) => lines.map((line) => `+${line}`).join('\n'),
  'removed lines of a diff': (lines) => lines.map((line) => `-${line}`).join('\n'),
  'a quotation': (lines) => lines.map((line) => `> ${line}`).join('\n'),
  'an indented block': (lines) => lines.map((line) => `        ${line}`).join('\n'),
  'a list': (lines) => lines.map((line) => `- ${line}`).join('\n'),
  'a list of todos': (lines) => lines.map((line) => `- [ ] ${line}`).join('\n'),
  'a numbered list': (lines) => lines.map((line, index) => `${index + 1}. ${line}`).join('\n'),
  'cat -n': (lines) => lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n'),
  'comments of a shell': (lines) => lines.map((line) => `# ${line}`).join('\n'),
  'comments of C': (lines) => lines.map((line) => `// ${line}`).join('\n'),
  'a sum of strings': (lines) => lines.map((line) => `'${line}' +`).join('\n'),
  'a table': (lines) => lines.map((line) => `| ${line} |`).join('\n'),
  'one line with spaces': (lines) => lines.join(' '),
}

describe.each(Object.keys(KEYS))('a private key (%s)', (name) => {
  const lines = KEYS[name] ?? []

  test.each(Object.keys(FORMS))('is removed from %s, whole and truncated', (form) => {
    // Without newlines PuTTY's line count cannot be separated from what follows it.
    const write = FORMS[form] ?? FORMS['lines']
    for (const part of [lines, lines.slice(0, -1)]) {
      const text = `before\n${write?.(part) ?? ''}\nafter`
      const clean = redactor.redact(text)
      expect(BODY.filter((line) => clean.includes(line))).toEqual([])
      expect(redactor.redact(clean)).toBe(clean)
    }
  })

  test('is removed from a list with one line per item, and from a field of a list of objects', () => {
    const rows = lines.map((text, id) => ({ id, text, status: 'pending' }))
    const clean = JSON.stringify(redactDeep({ next: ['one', ...lines, 'two'], rows }, redactor))
    expect(BODY.filter((line) => clean.includes(line))).toEqual([])
    expect(clean).toContain('"one"')
    expect(clean).toContain('"two"')
    expect(clean.match(/"pending"/g)).toHaveLength(lines.length)
  })
})

test('a key that continues in the next list, or across fields in their order, is removed', () => {
  const lines = pem('RSA PRIVATE KEY')
  const value = { id: 'a-1', next: lines.slice(0, 4), blockers: lines.slice(4), note: 'kept' }
  const clean = redactDeep(value, redactor)
  const mark = '[REDACTED:private-key]'
  expect(clean).toEqual({ id: 'a-1', next: Array(4).fill(mark), blockers: Array(4).fill(mark), note: 'kept' })
})

test('lines of a key that was found are removed from other fields too', () => {
  const command = pem('RSA PRIVATE KEY').join('\n')
  const output = BODY.map((line, index) => `sh: ${index + 2}: ${line}: not found`).join('\n')
  const clean = redactDeep({ command, output, ok: false }, redactor)
  expect(clean.output.split('\n')[0]).toBe('sh: 2: [REDACTED:private-key]: not found')
  expect(BODY.filter((line) => JSON.stringify(clean).includes(line))).toEqual([])
})

test('texts between two that mention keys stay if they are not part of one', () => {
  const value = [
    'Search for -----BEGIN PRIVATE KEY----- in the repository.',
    'Then rotate what was found, one service after the other.',
    'Every file must also have its -----END PRIVATE KEY----- line.',
  ]
  expect(redactDeep(value, redactor)).toBe(value)
})

test('a PEM file in base64 is removed, on one line and wrapped; a certificate stays', () => {
  const wrapped = `client-key-data: >-\n${ENCODED_LINES.map((line) => `  ${line}`).join('\n')}\nnext: 1`
  for (const text of [`client-key-data: ${ENCODED}`, ENCODED, wrapped, JSON.stringify(wrapped)]) {
    const clean = redactor.redact(text)
    expect(ENCODED_LINES.filter((line) => clean.includes(line))).toEqual([])
  }
  const certificate = Buffer.from(`-----BEGIN CERTIFICATE-----\n${BODY.join('\n')}`).toString('base64')
  expect(redactor.redact(`certificate-authority: ${certificate}`)).toContain(certificate)
})

test.each([['\n'], ['\r\n'], ['\\\n'], ['\n    '], ['\n> '], ['\\n']])(
  'a provider’s token that is broken by %j is gone, also over two items of a list',
  (lineEnd) => {
    const token = ['ghp', drawn('token', 36)].join('_')
    for (const at of [9, 16, 28]) {
      const halves = [token.slice(0, at), token.slice(at)]
      expect(redactor.redact(`use ${halves.join(lineEnd)} for it`)).toBe('use [REDACTED:github-token] for it')
      expect(redactor.redactAll(['use it:', ...halves])).toEqual([
        'use it:',
        '[REDACTED:github-token]',
        '[REDACTED:github-token]',
      ])
    }
  },
)

test('the rest of a wrapped value is removed with it, the words of the next line stay', () => {
  const value = drawn('value', 60)
  const line = `export SERVICE_SECRET_ACCESS_KEY=${value.slice(0, 40)}`
  expect(redactor.redact(`${line}\n${value.slice(40)}\n`)).not.toContain(value.slice(40))
  expect(redactor.redact(`${line}\nthen restart\n`)).toContain('then restart')
  expect(redactor.redact(`${line}\nOTHER_NAME=words\n`)).toContain('OTHER_NAME=words')
})

test.each([
  ['Password:\nhunter2x9', 'Password:\n[REDACTED:password]'],
  ['- DB_PASSWORD=\\\n    Xk39-qQz1', '- DB_PASSWORD=\\\n    [REDACTED:password]'],
  ['mytool --password \\\n  Xk39-qQz1', 'mytool --password \\\n  [REDACTED:password]'],
  ['Password:\nsee the vault', 'Password:\nsee the vault'],
  ['tokens:\n  - first\n  - second', 'tokens:\n  - first\n  - second'],
])('a value alone on the line below its name: %j', (text, expected) => {
  expect(redactor.redact(text)).toBe(expected)
})

test('a value whose name is the previous item is removed', () => {
  expect(redactor.redactAll(['--password', 'Xk39-qQz1', '--verbose'])).toEqual([
    '--password',
    '[REDACTED:password]',
    '--verbose',
  ])
  expect(redactor.redactAll(['machine api.example.org', 'login bob', 'password Xk39qQz1'])).toEqual([
    'machine api.example.org',
    'login bob',
    'password [REDACTED:password]',
  ])
  const words = ['token', 'handling', 'password', 'field']
  expect(redactor.redactAll(words)).toBe(words)
})

test('what is found in a text alone is found among others too, and redacting is idempotent', () => {
  const text = fc.oneof(
    fc.constantFrom(...plantSecrets(7).map(({ text }) => text)),
    fc.constantFrom('words', 'src/a.ts', '', '{', '- [ ] todo', 'name: x', '-----BEGIN PRIVATE KEY-----'),
    fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const together = redactor.redactAll(texts)
      expect(together).toHaveLength(texts.length)
      for (const [index, alone] of texts.map((one) => redactor.redact(one)).entries())
        if (alone !== texts[index]) expect(together[index]).not.toBe(texts[index])
      expect(redactor.redactAll(together)).toEqual(together)
    }),
  )
})

test('a request keeps its one-line texts: ids, paths and what is redacted where it is stored', () => {
  const token = ['ghp', drawn('single', 36)].join('_')
  const value = { cwd: `/srv/${token}`, text: `use ${token}`, lines: `use\n${token}` }
  expect(redactInput(value)).toEqual({ ...value, lines: 'use\n[REDACTED:github-token]' })
  expect(redactInput(value, ['lines'])).toEqual(value)
})

test('many headers of PuTTY keys are read in linear time', () => {
  const text = 'Private-Lines: 3\n'.repeat(20_000)
  expect(createRedactor().redact(text).length).toBeLessThanOrEqual(text.length)
})
