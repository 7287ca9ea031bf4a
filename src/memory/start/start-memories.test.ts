import { describe, expect, test } from 'vitest'
import { aBench, type Bench, here, PROJECT, start, told } from '../../../test/support/continuity-setup.ts'
import { anEvent } from '../../../test/support/events.ts'
import { SessionKey } from '../../kernel/id.ts'
import type { MemoryType } from '../../kernel/memory.ts'

function remember({ continuity, ports }: Bench, content: string, type: MemoryType = 'note', importance = 5) {
  ports.time.advance(1_000)
  return continuity.remember({ content, type, importance, cwd: PROJECT, source: 'cli' })
}

function fencedLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.slice(2)] : []))
}

async function linesAt(bench: Bench, key: string, source: 'startup' | 'compact' | 'resume' = 'startup') {
  return fencedLines(await told(bench, start(key, 1, source)))
}

describe('a session that starts without a recovery gets', () => {
  test('preferences, decisions and what is important, newest first, and nothing else', async () => {
    await using bench = await aBench()
    await remember(bench, 'We use tabs', 'preference')
    await remember(bench, 'The cellar has giraffe paint')
    await remember(bench, 'PostgreSQL 16, for row-level security', 'decision')
    await remember(bench, 'Never push on Fridays', 'fact', 7)
    expect(await linesAt(bench, 'one')).toEqual([
      '- (fact, 2026-01-02) Never push on Fridays',
      '- (decision, 2026-01-02) PostgreSQL 16, for row-level security',
      '- (preference, 2026-01-02) We use tabs',
    ])
    const { injections } = await bench.continuity.explain({ sessionKey: SessionKey('one') })
    expect(injections.find(({ kind }) => kind === 'memories')?.reasons.map(({ reason }) => reason)).toEqual([
      'given at every start: importance 7',
      'given at every start: every decision',
      'given at every start: every preference',
    ])
  })

  test('nothing superseded, nothing of tasks, and nothing when it is switched off', async () => {
    await using bench = await aBench()
    const old = await remember(bench, 'MySQL 8', 'decision')
    const more = { cwd: PROJECT, source: 'cli', type: 'decision' } as const
    await bench.continuity.remember({ ...more, content: 'PostgreSQL 16', supersedes: old.id })
    await bench.continuity.remember({ ...more, content: 'Task login, gate 1', source: 'task', importance: 9 })
    expect(await linesAt(bench, 'one')).toEqual(['- (decision, 2026-01-02) PostgreSQL 16'])
    bench.ports.config = { ...bench.ports.config, memory: { ...bench.ports.config.memory, startBudgetChars: 0 } }
    expect(await linesAt(bench, 'two')).toEqual([])
  })

  test('what was used most before what is as new', async () => {
    await using bench = await aBench()
    for (const tool of ['redis', 'kafka', 'nginx', 'celery']) await remember(bench, `We decided on ${tool}`, 'decision')
    for (let use = 0; use < 3; use++) await bench.continuity.recall({ cwd: PROJECT, text: 'redis', limit: 1 })
    const lines = await linesAt(bench, 'one')
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['celery', 'nginx', 'redis', 'kafka'])
  })

  test('at most the budget, in whole lines', async () => {
    await using bench = await aBench()
    for (let at = 0; at < 20; at++) await remember(bench, `Decision ${'x'.repeat(60)} number ${at}`, 'decision')
    const text = await told(bench, start('one', 1))
    expect(text.length).toBeLessThanOrEqual(600)
    expect(fencedLines(text).length).toBeGreaterThan(2)
  })
})

test('each is given once: not at a prompt, not at a resume, but again after a compaction', async () => {
  await using bench = await aBench()
  await remember(bench, 'We use tabs, because of the formatter', 'preference')
  const line = '- (preference, 2026-01-02) We use tabs, because of the formatter'
  expect(await linesAt(bench, 'session-1')).toEqual([line])
  expect(await told(bench, anEvent('prompt-submitted', { ...here, prompt: 'tabs or spaces?' }))).toBe('')
  expect(await linesAt(bench, 'session-1', 'resume')).not.toContain(line)
  expect(fencedLines(await told(bench, start('session-1', 1, 'compact')))).toContain(line)
  expect(await told(bench, anEvent('prompt-submitted', { ...here, prompt: 'tabs or spaces?' }))).toBe('')
})

test('what did not arrive at the start arrives with the first prompt, beside what matches it', async () => {
  await using bench = await aBench()
  await remember(bench, 'PostgreSQL 16, for row-level security', 'decision')
  await remember(bench, 'We use tabs, because of the formatter')
  await bench.continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
  const prompt = anEvent('prompt-submitted', { ...here, prompt: 'tabs or spaces?' })
  expect(fencedLines(await told(bench, prompt))).toEqual([
    '- (decision, 2026-01-02) PostgreSQL 16, for row-level security',
    '- (note, 2026-01-02) We use tabs, because of the formatter',
  ])
})

test("the user's rules come first", async () => {
  await using bench = await aBench()
  await remember(bench, 'We use tabs', 'preference')
  await bench.continuity.addRule({ text: 'Never push to main', cwd: PROJECT })
  expect(await linesAt(bench, 'one')).toEqual(['- (rule) Never push to main', '- (preference, 2026-01-02) We use tabs'])
})

test('rules that do not fit are counted, and no memory takes their room', async () => {
  await using bench = await aBench()
  await remember(bench, 'We use tabs', 'preference')
  const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliett', 'kilo']
  for (const word of words)
    await bench.continuity.addRule({ text: `Never touch ${word.repeat(4)}/ without a review of it`, cwd: PROJECT })
  const lines = await linesAt(bench, 'one')
  expect(lines.slice(0, -1).every((line) => line.startsWith('- (rule) Never touch '))).toBe(true)
  expect(lines.at(-1)).toBe(`- ${words.length - lines.length + 1} more rules of the user: \`holdfast rules list\``)
})

test('being given at a start is not counted as a use', async () => {
  await using bench = await aBench()
  await remember(bench, 'We use tabs', 'preference')
  await linesAt(bench, 'one')
  const [memory] = await bench.continuity.listMemories({ cwd: PROJECT, limit: 1 })
  expect(memory?.hits).toBe(0)
})
