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
  return { memory, score: 1, coverage: 1 }
}

const outcomes = (prompt: string, ...hits: readonly MemoryHit[]) =>
  judgeForPrompt(prompt, hits, THRESHOLD).map(({ memory, outcome }) => `${memory.id} ${outcome}`)
const isShown = (prompt: string, memory: string) => outcomes(prompt, aHit(memory))[0] === 'm shown'

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
    expect(verdict).toMatchObject({ outcome: 'superseded', reason: 'superseded by newer' })
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
    const vague = aHit('staging database: another port since the move to the new cluster in Frankfurt', {
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
  const newer = { id: MemoryId('new'), createdAt: '2026-02-02T03:04:05.000Z' }
  const prompt = 'tabs for indentation'
  expect(outcomes(prompt, aHit('Use tabs for indentation'), aHit('Use spaces for indentation', newer))).toEqual([
    'm older-on-the-subject',
    'new below-bar',
  ])
  const aside = aHit('Indentation is wide', newer)
  expect(outcomes(prompt, aHit('Tabs for indentation in every Makefile of the build'), aside)).toEqual([
    'm shown',
    'new below-bar',
  ])
})

test('common words alone are enough only for important memories', () => {
  const content = 'Run the tests with pnpm vitest, never with npm.'
  expect(outcomes('run the tests', aHit(content))).toEqual(['m below-bar'])
  expect(outcomes('run the tests', aHit(content, { importance: 8 }))).toEqual(['m shown'])
  // However many they are, all of them must be in it.
  const long = 'run the tests, fix the bug, add a new function, clean the code and check the output'
  expect(judgeForPrompt(long, [aHit(content, { importance: 8 })], THRESHOLD)).toMatchObject([
    { outcome: 'below-bar', reason: "has run, tests: 18 % of the prompt's keywords, the threshold is 70 %" },
  ])
})

test('the reason names the matching words as written, their share, and the requirement that failed', () => {
  const judge = (prompt: string, content: string) => judgeForPrompt(prompt, [aHit(content)], THRESHOLD)[0]?.reason
  expect(judge('Which cluster do we deploy?', 'Frankfurt hosts the mirror.')).toBe(
    "has none of the prompt's keywords, the threshold is 70 %",
  )
  expect(judge('why do the tests fail without redis?', 'The tests need a running redis.')).toBe(
    "has redis: 100 % of the prompt's keywords, the threshold is 70 %, but at least 2 must match",
  )
  expect(judge('run the tests', 'Run the tests with pnpm vitest.')).toBe(
    "has run, tests: 100 % of the prompt's keywords, the threshold is 70 %, " +
      'but they are common words, which need an importance of 7 or more',
  )
  const long =
    'Go through the gateway, the wiki, the splitLines helper, the mirror in Frankfurt and every Markdown paragraph'
  expect(judge(long, 'Frankfurt hosts the mirrors of splitLines.')).toBe(
    'the prompt has splitLines, mirror, Frankfurt: 80 % of its keywords, the threshold is 70 %',
  )
})

test('the number of memories per prompt is limited, and the reason has the measured share', () => {
  const hits = ['a', 'b'].map((id) => aHit('Parser keeps blank lines', { id: MemoryId(id), createdAt: `2026-0${id}` }))
  const verdicts = judgeForPrompt('blank lines in the parser', hits.slice(0, 1), { ...THRESHOLD, maxPerPrompt: 1 })
  expect(verdicts).toMatchObject([
    {
      outcome: 'shown',
      reason: "has blank, parser: 100 % of the prompt's keywords, the threshold is 70 %", // wording-ok: test data
      share: 1,
    },
  ])
  expect(
    judgeForPrompt('blank lines in the parser', hits.slice(0, 1), { ...THRESHOLD, maxPerPrompt: 0 }),
  ).toMatchObject([{ outcome: 'over-the-limit', reason: 'at most 0 for one prompt' }])
})
