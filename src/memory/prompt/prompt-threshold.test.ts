import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { MemoryId, ProjectId } from '../../kernel/id.ts'
import { type Memory, type MemoryHit, TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { judgeForPrompt } from './prompt-threshold.ts'

const THRESHOLD = { ...DEFAULT_CONFIG.memory, shown: new Set<string>() }

function aHit(content: string, more: Partial<Memory> = {}): MemoryHit {
  const memory = {
    id: MemoryId('m'),
    projectId: ProjectId('p'),
    type: 'fact' as const,
    content,
    importance: 5,
    tags: [],
    source: 'cli',
    createdAt: '2026-01-02T03:04:05.000Z',
    hits: 0,
    ...more,
  }
  return { memory, score: 1, coverage: 1, relevance: 1 }
}

/** Extracted, not stated to be remembered. */
const EXTRACTED = { source: 'transcript' }

const outcomes = (prompt: string, ...hits: readonly MemoryHit[]) =>
  judgeForPrompt(prompt, hits, THRESHOLD).map(({ memory, outcome }) => `${memory.id} ${outcome}`)
const isShown = (prompt: string, memory: string, more: Partial<Memory> = EXTRACTED) =>
  outcomes(prompt, aHit(memory, more))[0] === 'm shown'

describe('a memory is injected before a prompt', () => {
  test.each([
    ['Why do the parser tests fail on blank lines?', 'Parser tests need blank lines between paragraphs.'],
    ['fix splitLines', 'splitLines drops the last line on Windows'],
    ['deploying to staging fails', 'Deploy to staging only from the release branch.'],
    ['What is the staging database port?', 'The staging database listens on port 5433.'],
    ['What port does the billing API v2 listen on?', 'The billing API v2 listens on port 6000.'],
    ['How is the EU cluster deployed?', 'The EU cluster is deployed by hand.'],
    [
      'I get ERR_MODULE_NOT_FOUND when I start the worker',
      'ERR_MODULE_NOT_FOUND in the worker means that the build is stale.',
    ],
    [
      'Please go over src/storage and see what the migration of the receipts table costs on PostgreSQL when there are many rows; then write it down',
      'Every PostgreSQL migration of the receipts table takes a lock.',
    ],
  ])('when both are about the same subject: %s', (prompt, memory) => expect(isShown(prompt, memory)).toBe(true))
})

describe('a memory that was stated to be remembered is injected', () => {
  const README = 'We use tabs, because of the formatter'

  test.each([
    ['which formatter settings: tabs or spaces?', README],
    ['should I use tabs or spaces here?', README],
    ['add a new formatter rule', README],
    ['tabs', README],
    ['what do we use for indentation, tabs or spaces', README],
    ['format the file with the formatter using tabs', README],
    ['why do the tests fail without redis?', 'The tests need a running redis.'],
    ['when do we deploy the next release?', 'We deploy on Tuesdays only, because support is not staffed on weekends'],
    ['add a money column to the invoices table', 'Money is stored in integer cents, never floats'],
    ['the jenkins build is red, look into it', 'The Jenkins pipeline is retired, use GitHub Actions'],
    ['find an icon for the delete action', 'Our icons come from Lucide'],
    ['Add dark mode to the settings page', 'The settings page loads the user from the session.'],
  ])('when a short prompt names its topic: %s', (prompt, memory) => {
    for (const source of ['cli', 'mcp']) expect(isShown(prompt, memory, { source })).toBe(true)
    expect(isShown(prompt, memory)).toBe(false)
  })

  test.each([
    ['resize the columns of the orders table', 'Images are resized to 800 pixels before upload'],
    ['write a note in the README about the coding style', 'The release notes are written by the product team'],
    ['profile the server start, it takes minutes', 'The mobile client caches the user profile for five minutes'],
    ['print the last 40 lines of the log', 'Keep functions under 40 lines'],
    ['Rename the release script and update the changelog for the parser.', 'The parser keeps blank lines.'],
    ['fix the failing tests', 'Write tests before you fix a bug.'],
    ['What is the production database port?', 'The staging database listens on port 5433.'],
    ['Deploy to production with make', 'Deploy to staging with make deploy-staging.'],
    ['Write tests for the checkout API', 'The checkout page tests run with Playwright.'],
    ['How is the EU cluster deployed?', 'The US cluster is deployed by hand.'],
    ['How do I call v2 of billing?', 'Billing v1 needs an API key'],
  ])('but not for another word of it, in a long list of subjects, or for a counterpart: %s', (prompt, memory) => {
    expect(isShown(prompt, memory, { source: 'cli' })).toBe(false)
  })
})

describe('nothing is injected before a prompt', () => {
  test.each([
    ['Go on.', 'Go modules live in pkg/.'],
    ['please do it again with the other one', 'Do it again with the other one when the first run fails.'],
    ['Rename the release script and update the changelog for the parser.', 'The parser keeps blank lines.'],
    ['', 'The parser keeps blank lines.'],
    ['fix the failing tests', 'Write tests before you fix a bug.'],
    ['why do the tests fail without redis?', 'The tests need a running redis.'],
    ['commit the changes', 'Manual commits keep their changes on a shadow branch.'],
    ['more comments on the PR', 'Comments of the PR: the branch is pushed twice.'],
  ])('for words in passing: %s', (prompt, memory) => expect(isShown(prompt, memory)).toBe(false))

  test.each([
    ['What is the production database port?', 'The staging database listens on port 5433.'],
    ['Deploy to production with make', 'Deploy to staging with make deploy-staging.'],
    ['Write tests for the checkout API', 'The checkout page tests run with Playwright.'],
    ['Fix the typo in the deploy docs for staging', 'Deploy to staging only from the release branch.'],
    ['Add dark mode to the settings page', 'The settings page loads the user from the session.'],
    [
      'Go through the settings of the gateway, look at the billing API v2 and at which port it listens, and put it all into a table for the wiki',
      'The billing API v1 listens on port 5433.',
    ],
    ['How is the EU cluster deployed?', 'The US cluster is deployed by hand.'],
  ])('when the memory is about a neighbouring subject: %s', (prompt, memory) => {
    expect(isShown(prompt, memory)).toBe(false)
  })

  test('by a superseded memory', () => {
    const old = aHit('The staging database listens on port 5433.', { supersededBy: MemoryId('newer') })
    const [verdict] = judgeForPrompt('What is the staging database port?', [old], THRESHOLD)
    expect(verdict).toMatchObject({ outcome: 'superseded', reason: 'replaced by newer' })
  })

  test('by a copy of a task checkpoint', () => {
    const copy = aHit('The staging database listens on port 5433.', { tags: [TASK_CHECKPOINT_TAG] })
    expect(outcomes('What is the staging database port?', copy)).toEqual(['m not-for-prompts'])
  })
})

test('a memory that is never injected before a prompt does not exclude another', () => {
  const shown = aHit('The staging database listens on port 5433.', { id: MemoryId('shown') })
  const newer = { id: MemoryId('newer'), createdAt: '2026-02-02T03:04:05.000Z' }
  const content = 'Tried, failed: the staging database listens on port 5433.'
  const evidence = {
    kind: 'retry-burst',
    keys: ['psql staging'],
    command: 'psql staging',
    purpose: 'run',
    seqs: [1],
    failures: 3,
    traits: [],
    files: [],
    sessions: [],
    epoch: 1,
  } as const
  const prompt = 'What is the staging database port?'
  for (const other of [aHit(content, { ...newer, evidence }), aHit(content, { ...newer, tags: [TASK_CHECKPOINT_TAG] })])
    expect(outcomes(prompt, other, shown)).toEqual(['newer not-for-prompts', 'shown shown'])
})

describe('of two that contradict each other', () => {
  const older = aHit('The staging database listens on port 5433.', { id: MemoryId('old') })
  const newer = aHit('The staging database moved to port 6000.', {
    id: MemoryId('new'),
    createdAt: '2026-02-02T03:04:05.000Z',
  })

  test('only the newest is injected, in whatever order they were found', () => {
    const prompt = 'What is the staging database port?'
    expect(outcomes(prompt, older, newer)).toEqual(['old older-on-the-subject', 'new shown'])
    expect(outcomes(prompt, newer, older)).toEqual(['new shown', 'old older-on-the-subject'])
  })

  test('none is injected when the newest is below the threshold', () => {
    const vague = aHit('Frankfurt: another port for the staging database since the move to the new cluster', {
      id: MemoryId('new'),
      createdAt: '2026-02-02T03:04:05.000Z',
    })
    expect(outcomes('does the staging database listen?', older, vague)).toEqual([
      'old older-on-the-subject',
      'new below-bar',
    ])
  })

  test('the newest is injected once; the older one does not replace it', () => {
    const threshold = { ...THRESHOLD, shown: new Set(['new']) }
    const verdicts = judgeForPrompt('What is the staging database port?', [newer, older], threshold)
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['already-shown', 'older-on-the-subject'])
  })
})

test('two about different subjects of one component are both injected', () => {
  const hits = [
    aHit('Parser tests need blank lines between paragraphs.', { id: MemoryId('a') }),
    aHit('Golden files of the parser tests live under fixtures/blank.', { id: MemoryId('b') }), // wording-ok: test data
  ]
  expect(outcomes('why do the blank parser tests fail?', ...hits)).toEqual(['a shown', 'b shown']) // wording-ok: test data
})

test('one shared keyword makes two short memories contradict each other, but not longer ones', () => {
  const newer = { ...EXTRACTED, id: MemoryId('new'), createdAt: '2026-02-02T03:04:05.000Z' }
  const prompt = 'tabs for indentation'
  const older = aHit('Tabs for indentation', EXTRACTED)
  expect(outcomes(prompt, older, aHit('Indentation is wide', newer))).toEqual([
    'm older-on-the-subject',
    'new below-bar',
  ])
  const longer = aHit('Tabs for indentation in every Makefile of the build', EXTRACTED)
  expect(outcomes(prompt, longer, aHit('Indentation is wide', newer))).toEqual(['m shown', 'new below-bar'])
})

test('numbered siblings are both injected, a changed value only once', () => {
  const newer = { id: MemoryId('new'), createdAt: '2026-02-02T03:04:05.000Z' }
  const pair = (one: string, other: string) => [aHit(one), aHit(other, newer)] as const
  const ports = pair('The dev server of api listens on port 3001', 'The dev server of web listens on port 3002')
  expect(outcomes('which port do the dev servers listen on?', ...ports)).toEqual(['m shown', 'new shown'])
  const steps = pair('Step 1 of the release: build the image', 'Step 2 of the release: push the image')
  expect(outcomes('release the image', ...steps)).toEqual(['m shown', 'new shown'])
  expect(outcomes('do step 2 of the release', ...steps)).toEqual(['m below-bar', 'new shown'])
  const runs = pair('Port 8081 belongs to the exporter.', 'Port 8082 belongs to the admin panel.')
  expect(outcomes('what runs on port 8082?', ...runs)).toEqual(['m below-bar', 'new shown'])
  expect(outcomes('what runs on port 9000?', ...runs)).toEqual(['m shown', 'new shown'])
  expect(outcomes('which package manager: pnpm or npm?', ...pair('We use pnpm', 'We use npm now'))).toEqual([
    'm older-on-the-subject',
    'new shown',
  ])
})

test('common words alone are enough only for important memories', () => {
  const content = 'Run the tests with pnpm vitest, never with npm.'
  expect(outcomes('run the tests', aHit(content))).toEqual(['m below-bar'])
  expect(outcomes('run the tests', aHit(content, { importance: 8 }))).toEqual(['m shown'])
  // However many they are, all of them must be in it.
  const long = 'run the tests, fix the bug, add a new function, clean the code and check the output'
  expect(judgeForPrompt(long, [aHit(content, { importance: 8 })], THRESHOLD)).toMatchObject([
    { outcome: 'below-bar', reason: "matches 18 % of the prompt's keywords (minimum 70 %): run, tests" },
  ])
})

test('the reason names the matching words as written, their share, and the requirement that failed', () => {
  const judge = (prompt: string, content: string, more: Partial<Memory> = EXTRACTED) =>
    judgeForPrompt(prompt, [aHit(content, more)], THRESHOLD)[0]?.reason
  expect(judge('Which cluster do we deploy?', 'Frankfurt hosts the mirror.')).toBe(
    "matches none of the prompt's keywords (minimum 70 %)",
  )
  expect(judge('add a new formatter rule', 'We use tabs, because of the formatter')).toBe(
    "matches 50 % of the prompt's keywords (minimum 70 %): formatter",
  )
  expect(judge('add a new formatter rule', 'We use tabs, because of the formatter', { source: 'cli' })).toBe(
    'the prompt names its topic: formatter',
  )
  expect(judge('why do the tests fail without redis?', 'The tests need a running redis.')).toBe(
    "matches 100 % of the prompt's keywords (minimum 70 %): redis; at least 2 specific keywords must match",
  )
  expect(judge('run the tests', 'Run the tests with pnpm vitest.')).toBe(
    "matches 100 % of the prompt's keywords (minimum 70 %): run, tests; common words alone need importance 7 or more",
  )
  const long =
    'Go through the gateway, the wiki, the splitLines helper, the mirror in Frankfurt and every Markdown paragraph'
  expect(judge(long, 'Frankfurt hosts the mirrors of splitLines.')).toBe(
    "matches 80 % of the memory's keywords (minimum 70 %): splitLines, mirror, Frankfurt",
  )
})

test('the number of memories per prompt is limited, and the reason has the measured share', () => {
  const hits = ['a', 'b'].map((id) => aHit('Parser keeps blank lines', { id: MemoryId(id), createdAt: `2026-0${id}` }))
  const verdicts = judgeForPrompt('blank lines in the parser', hits.slice(0, 1), { ...THRESHOLD, maxPerPrompt: 1 })
  expect(verdicts).toMatchObject([
    {
      outcome: 'shown',
      reason: 'the prompt names its topic: blank, parser', // wording-ok: test data
      share: 1,
    },
  ])
  expect(
    judgeForPrompt('blank lines in the parser', hits.slice(0, 1), { ...THRESHOLD, maxPerPrompt: 0 }),
  ).toMatchObject([{ outcome: 'over-the-limit', reason: 'at most 0 for one prompt' }])
})
