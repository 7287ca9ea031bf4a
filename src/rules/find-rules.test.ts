import { describe, expect, test } from 'vitest'
import { PLANTED_RULES } from '../../test/support/planted-rules.ts'
import { findRules, findRulesInRefusal } from './find-rules.ts'

const texts = (message: string) => findRules(message).map(({ text }) => text)

describe.each(Object.entries(PLANTED_RULES))('a rule of the kind "%s"', (kind, planted) => {
  test.each(planted)('is found verbatim: $rule', ({ said, rule }) => {
    const find = kind === 'refused tool call' ? findRulesInRefusal : findRules
    expect(find(said).map(({ text }) => text)).toEqual([rule])
  })
})

test.each([
  "don't worry about the lint errors",
  "Don't we need a migration for that?",
  'only 3 tests fail now',
  'never mind',
  'the test never finishes',
  "why don't you use the cache?",
  "I don't know which file it is",
  "I don't think that is right",
  "You don't have to fix that now",
  'the build always fails on Windows',
  'it only happens on CI',
  'No tests found.',
  "no, that's fine",
  'No problem, go ahead',
  'this must be a bug',
  'it must have been deleted',
  'Should we use pnpm instead of npm?',
  'can you fix the login without breaking the tests?',
  'The app crashes without an internet connection.',
  "we can't reproduce it",
  'I always get a timeout here',
  'You never ran the tests, right?',
  'add a check to make sure the file exists',
  'Add a button that only admins can see.',
  'The endpoint returns null instead of an empty list.',
  'the error says: you must be logged in',
  '"You must not use this" is what the linter prints',
  'Replace the callback with a promise instead of the event emitter',
  'Commit and push.',
  'stop the server',
  'I want you to look at the failing test',
  'keep going',
  'let me know when you are done',
  'it should not crash when the file is missing',
  'Only the first page is loaded',
  'nur 3 Tests schlagen fehl',
  'das funktioniert immer noch nicht',
  'ça ne marche pas',
  'no sé por qué falla',
])('is not a rule: %s', (message) => {
  expect(texts(message)).toEqual([])
})

test.each([
  [
    'pasted output',
    'it fails:\n\n2026-02-12T10:28:41 you must not run this as root\n2026-02-12T10:28:42 never do that',
  ],
  ['a log in a terminal', '❯ npm install\n⎿  Never run npm as root. Always use a version manager.'],
  ['a code block', 'what is this?\n\n```\n# never push to main\n```'],
  ['a quotation', 'the reviewer wrote:\n> Never use any here.\n> Always write tests.'],
  ['a plan that the agent wrote', 'Implement the following plan:\n\n# Plan\n\nNever touch src/legacy.'],
  ['the role prompt of a command', `You are a code reviewer. ${'Look at the diff. '.repeat(30)}Never flag style.`],
  ['a summary of the harness', 'This session is being continued from a previous conversation. Never push to main.'],
  ['a document', '# Contributing\n\nNever push to main.\n\n## Style\n\nAlways use tabs.'],
])('%s has no rules of the user', (_, message) => {
  expect(texts(message)).toEqual([])
})

test('of a brief with headings only the sections that hold rules are read, and their rules end with the work', () => {
  const message =
    'Harden the worker. Every change must be minimal.\n\n## Item 1\n\n- Always return 413 for a large body\n\n## Constraints\n\n- Do not change the auth logic\n- Run the tests after each commit:\n  - `pnpm test`\n'
  expect(findRules(message)).toEqual([
    { text: 'Every change must be minimal.', kind: 'must', scope: 'work' },
    { text: 'Do not change the auth logic', kind: 'dont', scope: 'work' },
    { text: 'Run the tests after each commit: `pnpm test`', kind: 'always', scope: 'work' },
  ])
})

test.each([
  ['Never push to main.', 'project'],
  ["Don't commit yet.", 'work'],
  ["Fix the login but don't touch the schema.", 'work'],
  ['Speed up the import without adding any dependency.', 'work'],
] as const)('%s belongs to the %s', (message, scope) => {
  expect(findRules(message).map((rule) => rule.scope)).toEqual([scope])
})

test('a polite question that orders is a rule', () => {
  expect(texts('Could you please stop adding comments? And can we not commit the drafts?')).toEqual([
    'Could you please stop adding comments?',
    'And can we not commit the drafts?',
  ])
})

test('a long message costs no more than its first part', () => {
  expect(texts(`${'a b c. '.repeat(20_000)}Never push to main.`)).toEqual([])
})
