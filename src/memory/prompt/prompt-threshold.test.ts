import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { MemoryId, ProjectId } from '../../kernel/id.ts'
import { type Memory, type MemoryHit, TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { judgeForPrompt } from './prompt-threshold.ts'

const BAR = { ...DEFAULT_CONFIG.memory, shown: new Set<string>() }

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
  judgeForPrompt(prompt, hits, BAR).map(({ memory, outcome }) => `${memory.id} ${outcome}`)
const isShown = (prompt: string, memory: string) => outcomes(prompt, aHit(memory))[0] === 'm shown'

describe('a memory is put before a prompt', () => {
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
  ])('when it is about what the prompt is about: %s', (prompt, memory) => expect(isShown(prompt, memory)).toBe(true))
})

describe('nothing is put before a prompt', () => {
  test.each([
    ['Go on.', 'Go modules live in pkg/.'],
    ['please do it again with the other one', 'Do it again with the other one when the first run fails.'],
    ['Rename the release script and update the changelog for the parser.', 'The parser keeps blank lines.'],
    ['', 'The parser keeps blank lines.'],
    ['fix the failing tests', 'Write tests before you fix a bug.'],
    ['why do the tests fail without redis?', 'The tests need a running redis.'],
    ['commit the changes', 'Manual commits keep their changes on a shadow branch.'],
    ['more comments on the PR', 'Comments of the PR: the branch is pushed twice.'],
  ])('for a word in passing: %s', (prompt, memory) => expect(isShown(prompt, memory)).toBe(false))

  test.each([
    ['What is the production database port?', 'The staging database listens on port 5433.'],
    ['Deploy to production with make', 'Deploy to staging with make deploy-staging.'],
    ['Write tests for the checkout API', 'The checkout page tests run with Playwright.'],
    ['Fix the typo in the deploy docs for staging', 'Deploy to staging only from the release branch.'],
    ['Add dark mode to the settings page', 'The settings page loads the user from the session.'],
    ['What is the production billing database port?', 'The staging billing database listens on port 5433.'],
    ['What port does the billing API v2 listen on?', 'The billing API v1 listens on port 5433.'],
    [
      'Go through the settings of the gateway, look at the billing API v2 and at which port it listens, and put it all into a table for the wiki',
      'The billing API v1 listens on port 5433.',
    ],
    ['Which flags does Node 18 need for the worker?', 'Node 20 needs flags for the worker.'],
    ['How is the EU cluster deployed?', 'The US cluster is deployed by hand.'],
    ['What did we decide for phase 2 of the migration?', 'Phase 1 of the migration was decided by plain SQL.'],
  ])('when the memory is merely next to the subject: %s', (prompt, memory) => {
    expect(isShown(prompt, memory)).toBe(false)
  })

  test('by a superseded memory, whatever it says', () => {
    const old = aHit('The staging database listens on port 5433.', { supersededBy: MemoryId('newer') })
    const [verdict] = judgeForPrompt('What is the staging database port?', [old], BAR)
    expect(verdict).toMatchObject({ outcome: 'superseded', reason: 'superseded by newer' })
  })

  test('by a mirror of a task checkpoint', () => {
    const mirror = aHit('The staging database listens on port 5433.', { tags: [TASK_CHECKPOINT_TAG] })
    expect(outcomes('What is the staging database port?', mirror)).toEqual(['m not-for-prompts'])
  })
})

test('what is never put before a prompt does not keep another from it', () => {
  const told = aHit('The staging database listens on port 5433.', { id: MemoryId('told') })
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
    expect(outcomes(prompt, other, told)).toEqual(['newer not-for-prompts', 'told shown'])
})

test('the reason names the other thing that a memory is about', () => {
  const hit = aHit('The staging billing database listens on port 5433.')
  expect(judgeForPrompt('What is the production billing database port?', [hit], BAR)).toMatchObject([
    {
      outcome: 'another-thing',
      reason:
        'speaks of "staging" where the prompt says "production"; ' +
        "has billing, database, port: 75 % of the prompt's telling words, the bar is 70 %",
    },
  ])
})

describe('of two that contradict each other', () => {
  const older = aHit('The staging database listens on port 5433.', { id: MemoryId('old') })
  const newer = aHit('The staging database moved to port 6000.', {
    id: MemoryId('new'),
    createdAt: '2026-02-02T03:04:05.000Z',
  })

  test('only the newest speaks, in whatever order they were found', () => {
    const prompt = 'What is the staging database port?'
    expect(outcomes(prompt, older, newer)).toEqual(['old older-on-the-subject', 'new shown'])
    expect(outcomes(prompt, newer, older)).toEqual(['new shown', 'old older-on-the-subject'])
  })

  test('none speaks when the newest does not clear the bar itself', () => {
    const vague = aHit('staging database: another port since the move to the new cluster in Frankfurt', {
      id: MemoryId('new'),
      createdAt: '2026-02-02T03:04:05.000Z',
    })
    expect(outcomes('does the staging database listen?', older, vague)).toEqual([
      'old older-on-the-subject',
      'new below-bar',
    ])
  })

  test('the newest speaks once; the older one does not come in its place', () => {
    const bar = { ...BAR, shown: new Set(['new']) }
    const verdicts = judgeForPrompt('What is the staging database port?', [newer, older], bar)
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['already-shown', 'older-on-the-subject'])
  })
})

test('two about different things of one component both speak', () => {
  const hits = [
    aHit('Parser tests need blank lines between paragraphs.', { id: MemoryId('a') }),
    aHit('Golden files of the parser tests live under fixtures/blank.', { id: MemoryId('b') }),
  ]
  expect(outcomes('why do the blank parser tests fail?', ...hits)).toEqual(['a shown', 'b shown'])
})

test('remarks of few words contradict each other by one of them; longer ones do not', () => {
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

test('common words alone are enough only for what was marked as important', () => {
  const content = 'Run the tests with pnpm vitest, never with npm.'
  expect(outcomes('run the tests', aHit(content))).toEqual(['m below-bar'])
  expect(outcomes('run the tests', aHit(content, { importance: 8 }))).toEqual(['m shown'])
  // However many they are, all of them must be in it.
  const long = 'run the tests, fix the bug, add a new function, clean the code and check the output'
  expect(judgeForPrompt(long, [aHit(content, { importance: 8 })], BAR)).toMatchObject([
    { outcome: 'below-bar', reason: "has run, tests: 18 % of the prompt's telling words, the bar is 70 %" },
  ])
})

test('the reason says which words met as they are written, of what they are a share, and what else was asked for', () => {
  const reasonOf = (prompt: string, content: string) => judgeForPrompt(prompt, [aHit(content)], BAR)[0]?.reason
  expect(reasonOf('Which cluster do we deploy?', 'Frankfurt hosts the mirror.')).toBe(
    "has none of the prompt's telling words, the bar is 70 %",
  )
  expect(reasonOf('why do the tests fail without redis?', 'The tests need a running redis.')).toBe(
    "has redis: 100 % of the prompt's telling words, the bar is 70 %, but at least 2 must meet",
  )
  expect(reasonOf('run the tests', 'Run the tests with pnpm vitest.')).toBe(
    "has run, tests: 100 % of the prompt's telling words, the bar is 70 %, " +
      'but they are common words, for which only an importance of 7 or more speaks up',
  )
  const long =
    'Go through the gateway, the wiki, the splitLines helper, the mirror in Frankfurt and every Markdown paragraph'
  expect(reasonOf(long, 'Frankfurt hosts the mirrors of splitLines.')).toBe(
    'the prompt has splitLines, mirror, Frankfurt: 80 % of its telling words, the bar is 70 %',
  )
})

test('at most so many speak for one prompt, the best first, and the reason says what was measured', () => {
  const hits = ['a', 'b'].map((id) => aHit('Parser keeps blank lines', { id: MemoryId(id), createdAt: `2026-0${id}` }))
  const verdicts = judgeForPrompt('blank lines in the parser', hits.slice(0, 1), { ...BAR, maxPerPrompt: 1 })
  expect(verdicts).toMatchObject([
    {
      outcome: 'shown',
      reason: "has blank, parser: 100 % of the prompt's telling words, the bar is 70 %",
      share: 1,
    },
  ])
  expect(judgeForPrompt('blank lines in the parser', hits.slice(0, 1), { ...BAR, maxPerPrompt: 0 })).toMatchObject([
    { outcome: 'over-the-limit', reason: 'at most 0 for one prompt' },
  ])
})
