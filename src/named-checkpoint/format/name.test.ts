import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeName, suggestName } from './name.ts'

test.each(['build-login-page', 'q1-data-analysis', 'login', '2026-plan', '构建-登录页', 'café-menu'])(
  '%j is a name',
  (name) => {
    expect(judgeName(name)).toEqual({ ok: true, name: name.normalize('NFC') })
  },
)

test('composed and decomposed letters are one name', () => {
  expect(judgeName('cafe\u0301')).toEqual({ ok: true, name: 'caf\u00e9' })
})

describe('refused, with a name near it:', () => {
  test.each([
    ['Build Login Page', 'build-login-page'],
    ['build_login_page', 'build-login-page'],
    ['BuildLoginPage', 'build-login-page'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a/b', undefined],
    ['-login-', 'login'],
    ['login.md', 'login-md'],
    ['login--page', 'login-page'],
    [`${'long-'.repeat(20)}name`, 'long-long-long-long-long-long-long-long'],
    ['task', undefined],
    ['a', undefined],
    ['wip', undefined],
    ['checkpoint2', undefined],
    ['wip-2', undefined],
    ['my-task-3', undefined],
    ['WORK', undefined],
    ['autosave', undefined],
    ['autosave-log', undefined],
    ['nul', undefined],
    ['com1', undefined],
    ['', undefined],
    ['💥', undefined],
  ])('%j: %j', (given, suggestion) => {
    expect(judgeName(given)).toMatchObject({ ok: false, ...(suggestion !== undefined && { suggestion }) })
    expect('suggestion' in judgeName(given)).toBe(suggestion !== undefined)
  })
})

test('a meaningless name is refused with a suggestion from the task', () => {
  expect(judgeName('task', 'Build the login page, with OAuth')).toMatchObject({
    suggestion: 'build-the-login-page-with-oauth',
  })
})

const PLAIN = /^[^\p{C}\s/\\.:*?"<>|-][^\p{C}\s/\\.:*?"<>|]*$/u

function isPlain(name: string): boolean {
  return PLAIN.test(name) && new TextEncoder().encode(name).length <= 180
}

test('any accepted or suggested name is a plain file name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      const verdict = judgeName(given)
      if (verdict.ok) expect(isPlain(verdict.name)).toBe(true)
      else if (verdict.suggestion !== undefined) expect(judgeName(verdict.suggestion).ok).toBe(true)
      const slug = suggestName(given)
      if (slug !== undefined) expect(isPlain(slug)).toBe(true)
    }),
    { numRuns: 200 },
  )
})
