import { expect, test } from 'vitest'
import { checkpointName, suggestCheckpointName } from './checkpoint-name.ts'
import { HoldfastError } from './errors.ts'

test.each(['auth-refactor', 'a', 'v2-plan', '2026-10-01'])('%s is a name', (name) => {
  expect(checkpointName(name)).toBe(name)
})

test.each([
  ['Auth Refactor', 'auth-refactor'],
  ['../../etc/passwd', 'etc-passwd'],
  ['über_straße', 'u-ber-stra-e'],
  ['autosave', 'my-autosave'],
  ['x'.repeat(80), 'x'.repeat(60)],
  ['!!!', ''],
])('%s is refused, and the hint says what would do', (given, suggestion) => {
  expect(suggestCheckpointName(given)).toBe(suggestion)
  let thrown: unknown
  try {
    checkpointName(given)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(HoldfastError)
  expect(thrown).toMatchObject({
    code: 'invalid-input',
    hint: `Use ${suggestion === '' ? 'a name such as "auth-refactor"' : `"${suggestion}"`}.`,
  })
  if (suggestion !== '') expect(checkpointName(suggestion)).toBe(suggestion)
})
