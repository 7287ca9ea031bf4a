import { describe, expect, test } from 'vitest'
import { compareStatements, namesCounterpart } from './compare-statements.ts'

describe('two statements', () => {
  test.each([
    ['We use tabs, because of the formatter', 'We use tabs because of the formatter.'],
    ['We use tabs, because of the formatter', 'we always use tabs due to our formatter'],
    ['Deploy to staging only from the release branch', 'Only deploy to staging from the release branch!'],
    ['The staging database listens on port 5433', 'Staging database listens on port 5433 now'],
    ["Don't use moment.js", 'Never use moment.js'],
    ['Run the tests with pnpm vitest', 'Please run tests with pnpm vitest'],
  ])('say the same: %s / %s', (older, newer) => expect(compareStatements(older, newer)).toBe('same'))

  test.each([
    ['we use pnpm', 'we use npm now'],
    ['We use pnpm', 'We use npm'],
    ['We use pnpm', 'We switched from pnpm to npm'],
    ['Use tabs for indentation', 'Use spaces for indentation instead'],
    ['The default branch is main', 'The default branch is develop'],
    ['The staging database listens on port 5433', 'The staging database listens on port 6000 now'],
    ['Money is stored in cents', 'Money is now stored in pence'],
  ])('give another value: %s / %s', (older, newer) => expect(compareStatements(older, newer)).toBe('changed'))

  test.each([
    ['port 3001 for api', 'port 3002 for web'],
    ['Step 1: build the image', 'Step 2: push the image'],
    ['v1 of the API answers in JSON', 'v2 of the API answers in JSON'],
    ['Node 1 has 4 GB', 'Node 2 has 4 GB'],
    ['Issue #12 is about login', 'Issue #13 is about login'],
  ])('number two things: %s / %s', (older, newer) => expect(compareStatements(older, newer)).toBe('sibling'))

  test.each([
    ['Use pnpm, not npm', 'Use npm, not pnpm'],
    ['Use tabs', 'Never use tabs'],
    ['we use redis', 'we use docker now'],
    ['Deploy to staging with make', 'Deploy to production with make'],
    ['Deploy to staging with make', 'Deploy to production with make now'],
    ['The staging database listens on port 5433', 'The staging database listens on port 6000'],
    ['Migrate from mysql to postgres', 'Migrate from postgres to mysql'],
    ['Use npm in packages/web', 'Use pnpm in packages/api now'],
    ['We use Redis for caching', 'We also use Redis for sessions now'],
    ['Use tabs', 'Use tabs in Makefiles and in Go files'],
    ['The parser keeps empty lines', 'The release needs two reviews'],
    ['', 'We use tabs'],
  ])('are not plainly about each other: %s / %s', (older, newer) => {
    expect(compareStatements(older, newer)).toBe('other')
  })
})

test.each([
  ['the billing API v2', 'billing API v1 listens', true],
  ['the billing API v2', 'step 1 of billing', false],
  ['v1 and v2', 'v2 only', false],
  ['Deploy to production', 'Deploy to staging with make', true],
  ['Deploy to staging and production', 'Deploy to staging with make', false],
  ['Deploy', 'Deploy to staging with make', false],
])('%s names a counterpart of %s: %s', (prompt, statement, isCounterpart) => {
  expect(namesCounterpart(prompt, statement)).toBe(isCounterpart)
})
