import { expect, test } from 'vitest'
import { shortKey } from './id.ts'

test.each([
  ['11111111-2222-3333', '11111111'],
  ['s1', 's1'],
  ['typist:conversation-7', 'typist:conversa'],
  ['session-2026-11-16-mt715wrtfn', 'session-2026-11-16-mt715wrt'],
  ['handoff-b87ca6a2e14d24e5', 'handoff-b87ca6a2'],
  ['', ''],
])('the key %s is shown as %s', (key, shown) => {
  expect(shortKey(key)).toBe(shown)
})
