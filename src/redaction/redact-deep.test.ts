import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactDeep } from './redact-deep.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()

describe('redactDeep', () => {
  test('redacts by the name of the field, where the value alone looks harmless', () => {
    expect(
      redactDeep(
        {
          db: { password: 'hunter2', user: 'someone' },
          tokens: ['x7Kq92mTzV4bNcW8'],
          apiKey: '0f8e2d7c9b1a4e6d0f8e2d7c9b1a4e6d',
        },
        redactor,
      ),
    ).toEqual({
      db: { password: '[REDACTED:password]', user: 'someone' },
      tokens: ['[REDACTED:secret]'],
      apiKey: '[REDACTED:secret]',
    })
  })

  test('redacts by the name in another field', () => {
    const env = (name: string, value: string) => ({ env: [{ name, value }] })
    expect(redactDeep(env('DB_PASSWORD', 'swordfish'), redactor)).toEqual(env('DB_PASSWORD', '[REDACTED:password]'))
    const harmless = env('DB_USER', 'swordfish')
    expect(redactDeep(harmless, redactor)).toBe(harmless)
  })

  test('redacts inside texts', () => {
    expect(redactDeep({ tool_input: { command: 'export TOKEN=x7Kq92mTzV4bNcW8' } }, redactor)).toEqual({
      tool_input: { command: 'export TOKEN=[REDACTED:secret]' },
    })
  })

  test('returns a payload without secrets unchanged', () => {
    const payload = {
      session_id: '7f2fbf27-0a44-42e3-94a1-4bfb5b48f071',
      tool_use_id: 'toolu_01Nq7xT2vLb9Zr4Kp8Wd1Yc6',
      transcript_path: '/home/user/.claude/projects/-app/7f2fbf27.jsonl',
      sessionKey: '7f2fbf27-0a44-42e3-94a1-4bfb5b48f071',
      tokens: 12_000,
      tool_input: { file_path: '/app/src/token-handling.ts', new_string: 'password: string' },
      nothing: null,
    }
    expect(redactDeep(payload, redactor)).toBe(payload)
  })

  test('a field named __proto__ stays a field', () => {
    const payload: unknown = JSON.parse('{"__proto__": {"password": "hunter2"}, "a": 1}')
    expect(JSON.stringify(redactDeep(payload, redactor))).toBe('{"__proto__":{"password":"[REDACTED:password]"},"a":1}')
  })

  test('cuts off values that are nested too deeply', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
    expect(JSON.stringify(redactDeep(deep, redactor))).toBe(`${'['.repeat(64)}"[nested too deeply]"${']'.repeat(64)}`)
  })

  test('keeps the shape of any JSON value and is idempotent', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const once = redactDeep(value, redactor)
        expect(JSON.stringify(redactDeep(once, redactor))).toBe(JSON.stringify(once))
        expect(JSON.stringify(once).replaceAll(/"(?:[^"\\]|\\.)*"(?!:)/g, '""')).toBe(
          JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"(?!:)/g, '""'),
        )
      }),
    )
  })
})
