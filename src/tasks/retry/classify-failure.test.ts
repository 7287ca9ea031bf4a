import { describe, expect, test } from 'vitest'
import { classifyFailure, type ProcessEnding, type SessionFailureKind } from './classify-failure.ts'

const failed: ProcessEnding = { how: 'exited', status: 1 }

describe('classification', () => {
  test.each<[string, ProcessEnding, string, SessionFailureKind]>([
    ['a reset connection', failed, 'API Error: read ECONNRESET', 'transient'],
    ['a gateway', failed, 'Error: 503 Service Unavailable', 'transient'],
    ['a time-out', failed, 'request timed out', 'transient'],
    ['no sign of life', { how: 'silent' }, '', 'transient'],
    ['a crash', { how: 'signalled', signal: 'SIGSEGV' }, '', 'transient'],
    ['a crash below a shell', { how: 'exited', status: 139 }, '', 'transient'],
    ['a red test run', failed, 'Tests  1 failed | 11 passed (12)', 'test'],
    ['a red test run whose test lost a connection', failed, 'FAILED tests/test_a.py::test_b - ECONNREFUSED', 'test'],
    ['a full disk', failed, 'write EIO\nError: ENOSPC: no space left on device', 'resource'],
    ['a full disk under a test run', failed, 'Tests  1 failed | 1 passed (2)\nENOSPC', 'resource'],
    ['a rate limit', failed, 'API Error: 429 rate_limit: rate limit exceeded', 'resource'],
    ['an exhausted heap', { how: 'signalled', signal: 'SIGABRT' }, 'JavaScript heap out of memory', 'resource'],
    ['the system that takes memory back', { how: 'signalled', signal: 'SIGKILL' }, '', 'resource'],
    ['the same below a shell', { how: 'exited', status: 137 }, '', 'resource'],
    ['its time being up', { how: 'time-limit' }, '', 'resource'],
    ['too many processes', { how: 'not-started', code: 'EAGAIN' }, '', 'resource'],
    ['an exit nothing explains', failed, 'I could not find a way to do this.', 'logic'],
    ['an exception', failed, "TypeError: Cannot read properties of undefined (reading 'a')", 'logic'],
    ['a program that is not there', { how: 'not-started', code: 'ENOENT' }, '', 'persistent'],
    ['a program that a shell did not find', { how: 'exited', status: 127 }, 'sh: 1: clauude: not found', 'persistent'],
    ['a key that is not accepted', failed, 'Invalid API key · Please run /login', 'persistent'],
  ])('%s', (_, ending, output, kind) => {
    expect(classifyFailure({ ending, output }).kind).toBe(kind)
  })

  test('an early mention of a timeout is not the cause', () => {
    const output = `I set the request to be timed out after 5 s.\n${'working\n'.repeat(40)}giving up`
    expect(classifyFailure({ ending: failed, output }).kind).toBe('logic')
  })

  test("the project's check speaks before the agent's own words", () => {
    expect(
      classifyFailure({
        ending: { how: 'exited', status: 0 },
        output: 'Done. The request timed out once, all is well now.',
        check: { command: 'npm test', output: 'FAIL src/a.test.ts > adds\n Tests  1 failed | 3 passed (4)' },
      }),
    ).toEqual({
      kind: 'test',
      reason: 'A test fails: src/a.test.ts > adds.',
      signature: 'test: src/a.test.ts > adds',
      failingTests: ['src/a.test.ts > adds'],
    })
  })
})

test('the same failure has the same signature whatever its numbers, times and folders', () => {
  const at = (text: string) => classifyFailure({ ending: failed, output: text }).signature
  expect(at('Error: cannot open /tmp/a-1/build.json (after 120 ms)')).toBe(
    at('Error: cannot open /var/folders/x9/build.json (after 7 ms)'),
  )
  expect(at('Error: cannot open build.json')).not.toBe(at('Error: cannot parse build.json'))
})
