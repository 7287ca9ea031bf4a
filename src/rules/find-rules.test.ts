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
  'Tabs, not spaces, everywhere.',
  'Treat everything under third_party as read-only.',
  'The public API is frozen: no breaking changes.',
  'Whatever you do, the migrations folder stays as it is.',
  'Any change to the schema goes through me first.',
  'I am the one who merges; you open the PR and stop.',
  'Commit messages in English please, imperative mood, no ticket numbers.',
  'Under no circumstances run the seed script against staging.',
  'You have to run the formatter before each commit.',
  'Test files belong next to the source, not in a tests folder.',
  'It is forbidden to use any in TypeScript here.',
  'Comments explain why, never what.',
  'Every new endpoint needs a test.',
  'Our CI has no network, so tests may not call out.',
  'Nobody touches the lockfile by hand.',
  "I'd rather have two small PRs than one big one.",
  'Functions longer than 40 lines are not acceptable.',
  'Yarn is the package manager of this repo; npm breaks the lockfile.',
  'Error messages must be translated, so go through i18n.t.',
  'Log through the logger; console.log is not OK.',
  'Keep the diff under 200 lines.',
  'Deploying is my job.',
  'No emojis in commit messages or docs.',
  'If you are not sure, ask.',
  'Python 3.9 has to keep working.',
  'Secrets go into .env, never into the code.',
  "Let's not introduce another state library.",
  'Please refrain from reformatting files you did not change.',
  "You're not allowed to force push, ever.",
  'Use feature branches; main is protected.',
  'dates are always UTC in this codebase',
  'hold off on refactoring unless I say so',
  "one thing: don't ever rename database columns",
  'and remember, prod credentials are off limits',
  'Bitte schreib die Kommentare auf Englisch, nicht auf Deutsch.',
  'Les tests ne doivent jamais dépendre du réseau.',
  'No uses bibliotecas externas sin consultarme.',
  'The tests have to stay fast: nothing over one second.',
  'For SQL we only use parameterised queries.',
  'No git rebase, ever.',
  'Single quotes only.',
  'Hands off the billing module, please.',
  'Ask before you install anything.',
  'Every commit must build on its own.',
  'We squash merge, so keep your branch history clean.',
  'British spelling in all user-facing text.',
  'I handle the releases.',
  'Nothing gets deployed on Fridays.',
  'Mocks are banned in the integration tests.',
  'The generated client is off limits, change the spec and regenerate.',
  'no default exports',
  'Use the repository helper for transactions, never raw BEGIN/COMMIT.',
  'All timestamps in the database are stored in UTC.',
  'Only me and Anna approve schema changes.',
  "If a test is flaky, tell me; don't just retry it.",
  'Never log personal data.',
  'Prefix branch names with your ticket id.',
  "I don't like clever one-liners, write it out.",
  'Keep public functions documented.',
  'stop adding comments that repeat the code',
  'Four spaces of indentation, please.',
  'Do not add yourself as co-author.',
  'Rust edition stays 2021.',
  'I need every PR to have a changelog entry.',
  'Never ever run terraform apply.',
  'The staging database is shared, so no destructive queries.',
  'Use conventional commits.',
  'Read the ADRs before you change the architecture.',
  'Snapshots are updated by hand only.',
  "We don't do mocks.",
  'Write everything in the present tense.',
  'Whatever touches auth needs my review.',
  'If the tests are red, do not commit.',
  'Absolutely no secrets in logs!',
  'For new code, types are mandatory.',
  'Answer me in German.',
  'Prefer composition over inheritance.',
  'Leave the vendored code alone.',
  'Before pushing, rebase on main.',
  'Please keep your hands off package.json.',
])('is a rule: %s', (message) => {
  expect(texts(message)).toEqual([message])
})

test.each([
  'Why does it never reconnect?',
  'Should we use tabs or spaces?',
  'Can you check whether we always close the file?',
  'The docs say "never push to main", is that still true?',
  'It only fails on Windows.',
  'The linter says: do not use any.',
  'Run the tests once more and tell me the result.',
  'Rename foo to bar in src/a.ts.',
  "I don't think that the cache is the problem.",
  "Don't worry about the flaky test.",
  'I always thought that this was async.',
  'Looks good, thanks, never mind the other one.',
  'Add a button that is only visible to admins.',
  'The function must have been called twice, look at the log.',
  '> Never commit to main.',
  'Error: must not be empty',
  'Please fix the login, it does not work without cookies.',
  'What happens if we stop using redux?',
  'You were right, the test never ran.',
  'Make the header blue instead of green.',
  'The button is always disabled, can you look?',
  'Only the second request fails, not the first.',
  'Did you never run the migration?',
  'Every request takes 3 seconds now.',
  'Please deploy the fix to staging.',
  "I can't get the build to pass without the flag.",
  'All tests in the folder are red since yesterday.',
  'The parser, not the lexer.',
  'Write a function that never returns null.',
  'It says "do not edit" at the top, why?',
  'Only two users reported it.',
  'Does the cache always expire?',
  'I tried to run it without docker, no luck.',
  'Move the file to src/b and update the imports.',
  'Please never mind my last message.',
  'The form must be broken, nothing happens on submit.',
  'Every page in the app is slow.',
  'Use this token for the next call.',
  'why is it not allowed to push?',
  'No, that is all, thanks.',
  'Four columns are missing in the export.',
  'The sidebar stays open after a click.',
  'Everything we did should be fine now.',
  'Anything that I type is lost.',
  'Only Firefox runs it.',
  'Every request needs a token to get through.',
  'I would rather see the log first.',
  'The config is read-only in production, that is why it fails.',
  'main is protected, my push got rejected.',
  'Comments in the thread say it broke yesterday.',
  'Tests in src/api fail on my machine.',
  'Branch names with slashes break the script.',
  'Dates in the export are wrong.',
  'Files under tmp grow without end, why?',
  'Add tests for the parser.',
  'Use the second option.',
  'Sort the list by date.',
  'The value is never null here, so the check is dead code.',
  'It works until I reload.',
  'Wait until it finishes.',
  'Retry until you get a 200.',
  'Stop it.',
  'I do the dishes, you do the parser :)',
  'Name the branch fix/login.',
  'All users are stored in one table, right?',
  'Configs in staging look different.',
  'Use hooks/useUser.ts as the template.',
  'Let us not forget the footer in this PR.',
  'It has to be the cache.',
  'Ask the API for the list and print it.',
])('only looks like a rule: %s', (message) => {
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
