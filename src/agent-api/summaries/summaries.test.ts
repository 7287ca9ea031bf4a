import { describe, expect, test } from 'vitest'
import { AgentApiSetup, ROOT } from '../../../test/support/agent-api-setup.ts'
import { SplitKeys } from '../../../test/support/split-keys.ts'
import { SessionId } from '../../kernel/id.ts'

const PROCESS = { pid: 7, startedAt: 'x' }

async function testRun(world: AgentApiSetup, key: string, ok: boolean): Promise<void> {
  const outcome = ok ? { ok, exitStatus: 0, output: '5 passed' } : { ok, exitStatus: 1, output: '1 failed' }
  await world.happen(key, {
    kind: 'tool-finished',
    tool: { name: 'Bash', kind: 'shell', files: [], command: 'npm test' },
    outcome,
  })
}

async function edit(world: AgentApiSetup, key: string, path: string): Promise<void> {
  await world.happen(key, {
    kind: 'tool-finished',
    tool: { name: 'Edit', kind: 'edit', files: [{ path: `${ROOT}/${path}`, action: 'edited' }] },
    outcome: { ok: true },
  })
}

async function workThatFails(world: AgentApiSetup): Promise<void> {
  world.files.set(`${ROOT}/src/auth.ts`, 'export function verify() {\n  // TODO: implement\n  return true\n}\n')
  await world.happen('liar', { kind: 'session-started', source: 'startup', process: PROCESS })
  await world.happen('liar', { kind: 'prompt-submitted', prompt: 'Implement authentication' })
  await edit(world, 'liar', 'src/auth.ts')
  await testRun(world, 'liar', false)
}

const LIES = {
  summary: [
    'Authentication',
    'Authentication is fully implemented and production-ready.',
    'All tests pass.',
    'The entry point is src/auth-service.ts.',
  ].join('\n'),
  filesChanged: ['src/auth.ts', 'src/login.ts'],
  entitiesRegistered: ['AuthService'],
  checklistProgress: { 'Add token verification': 'done' },
  sessionLabel: 'liar',
  cwd: ROOT,
} as const

describe('planted lies in a summary', () => {
  test('are all flagged at the next briefing, each with what was seen', async () => {
    await using world = await AgentApiSetup.open()
    await workThatFails(world)
    world.checklist = {
      path: `${ROOT}/CHECKLIST.md`,
      modifiedAt: world.time.now(),
      items: [{ id: 'a', section: 'S', text: 'Add token verification', status: 'pending', line: 3 }],
      discrepancies: [],
      notLookedAt: [],
    }
    await world.door.saveSummary(LIES)
    await world.happen('liar', { kind: 'session-ended', reason: 'exit' })
    await world.engine.drain()
    world.time.advance(3_600_000)

    const { summaries } = await world.door.recentSessions({ cwd: ROOT, limit: 1 })
    expect(summaries[0]?.doubts).toEqual([
      { claim: 'All tests pass.', because: expect.stringContaining('the last run of `npm test` failed') },
      {
        claim: 'Authentication is fully implemented and production-ready.',
        because: expect.stringMatching(
          /src\/auth\.ts:2 still says "\/\/ TODO: implement"; CHECKLIST\.md has 1 open item; the last run of `npm test` failed/,
        ),
      },
      { claim: 'src/login.ts', because: 'the file does not exist' },
      { claim: 'src/auth-service.ts', because: 'the file does not exist' },
      { claim: 'AuthService', because: 'no entity of that name is registered' },
      { claim: 'Add token verification: done', because: 'CHECKLIST.md line 3 has it as pending' },
    ])
    const { text } = await world.door.briefing({ cwd: ROOT })
    expect(text).toContain('6 statements below (marked "! refuted") did not hold when checked')
    for (const { claim } of summaries[0]?.doubts ?? []) expect(text).toContain(`| ! refuted: "${claim}`)
  })

  test('are reported at once for text that is not stored here, such as a digest', async () => {
    await using world = await AgentApiSetup.open()
    await workThatFails(world)
    const text = 'Created src/auth-service.ts beside src/auth.ts. Next: write src/later.ts. All tests pass.'
    await world.happen('liar', { kind: 'digest-written', summary: text })
    await world.engine.drain()
    expect(await world.door.checkClaims({ cwd: ROOT, text, sessionId: SessionId('claude-code/liar') })).toEqual([
      { claim: 'All tests pass.', because: expect.stringContaining('the last run of `npm test` failed') },
      { claim: 'src/auth-service.ts', because: 'the file does not exist' },
    ])
    expect((await world.door.recentSessions({ cwd: ROOT, limit: 1 })).summaries).toEqual([])
  })

  test('are flagged after a kill -9 too, when nobody had composed a checkpoint', async () => {
    await using world = await AgentApiSetup.open()
    await workThatFails(world)
    await world.door.saveSummary({ cwd: ROOT, summary: 'All tests pass.', sessionLabel: 'unknown-label' })
    world.dead.add(PROCESS.pid)
    const { summaries } = await world.door.recentSessions({ cwd: ROOT, limit: 1 })
    expect(summaries[0]?.doubts).toMatchObject([
      { because: expect.stringContaining('the last run of `npm test` failed') },
    ])
  })

  test('a run that was not observed, or came before the last edit, proves nothing', async () => {
    await using world = await AgentApiSetup.open()
    const save = async () =>
      (await world.door.saveSummary({ cwd: ROOT, summary: 'All tests pass.', sessionLabel: 's' })).summary.doubts
    expect(await save()).toMatchObject([{ because: 'no test run was observed' }])
    await world.happen('s', { kind: 'session-started', source: 'startup', process: PROCESS })
    await world.happen('s', { kind: 'prompt-submitted', prompt: 'Go on' })
    await testRun(world, 's', true)
    await edit(world, 's', 'src/auth.ts')
    await save()
    await world.engine.drain()
    expect(await save()).toMatchObject([
      { because: expect.stringContaining('code was edited after the last run of `npm test`') },
    ])
  })
})

describe('the truth in a summary', () => {
  test('is not flagged', async () => {
    await using world = await AgentApiSetup.open()
    world.files.set(`${ROOT}/src/auth.ts`, 'export const verify = (token: string) => token.length > 3\n')
    world.files.set(`${ROOT}/lib/deep/names.ts`, '')
    await world.happen('honest', { kind: 'session-started', source: 'startup', process: PROCESS })
    await world.happen('honest', { kind: 'prompt-submitted', prompt: 'Implement authentication' })
    await edit(world, 'honest', 'src/auth.ts')
    await testRun(world, 'honest', true)
    const summary = [
      'Authentication is fully implemented.',
      'All tests pass.',
      'See src/auth.ts and names.ts; removed src/old.ts; next: create src/new.ts.',
    ].join('\n')
    await world.door.saveSummary({ cwd: ROOT, summary, filesChanged: ['src/auth.ts'], sessionLabel: 'honest' })
    await world.engine.drain()
    const { summaries } = await world.door.recentSessions({ cwd: ROOT, limit: 1 })
    expect(summaries[0]?.doubts).toEqual([])
  })
})

describe('saving a summary', () => {
  test('a private key split over the fields is not stored, in any order', async () => {
    await using world = await AgentApiSetup.open()
    const keys = new SplitKeys('summary')
    const [begin = '', ...lines] = keys.lines('a')
    const body = lines.slice(0, -1)
    const end = lines.at(-1) ?? ''
    const fields = [
      { summary: begin, entitiesRegistered: body, checklistProgress: { [end]: 'done' } },
      { summary: `The key is ${end}`, filesChanged: body, checklistProgress: { [begin]: 'done' } },
      { summary: begin, checklistProgress: Object.fromEntries(body.map((line) => [line, end])) },
    ]
    for (const input of fields) await world.door.saveSummary({ cwd: ROOT, sessionLabel: 's', ...input })
    const kept = await world.door.recentSessions({ cwd: ROOT, limit: 9 })
    expect(kept.summaries).toHaveLength(fields.length)
    expect(keys.foundIn(JSON.stringify(kept))).toEqual([])
  })

  test('comes before completing the intent: what breaks in between leaves the summary', async () => {
    await using world = await AgentApiSetup.open()
    const order: string[] = []
    const { store } = world
    await using watched = await AgentApiSetup.open({
      store: {
        ...store,
        saveSummary: async (summary) => {
          order.push('summary')
          await store.saveSummary(summary)
        },
        completeIntents: async () => {
          order.push('complete')
          throw new Error('the power went')
        },
      },
    })
    const saving = watched.door.saveSummary({ cwd: ROOT, summary: 'Done.', sessionLabel: 's', outcome: 'ok' })
    await expect(saving).rejects.toThrow('the power went')
    expect(order).toEqual(['summary', 'complete'])
    expect((await world.door.recentSessions({ cwd: ROOT, limit: 5 })).summaries).toMatchObject([{ summary: 'Done.' }])
  })

  test('of a known session is recorded as an event, and rendered first by its recovery', async () => {
    await using world = await AgentApiSetup.open()
    await world.happen('s', { kind: 'session-started', source: 'startup', process: PROCESS })
    await world.door.saveSummary({ cwd: ROOT, summary: 'The cart is half done.', sessionLabel: 's' })
    await world.happen('s', { kind: 'session-ended', reason: 'exit' })
    await world.engine.drain()
    expect((await world.engine.previewRecovery({ cwd: ROOT })).text).toContain('The cart is half done.')
  })

  test('redacts every field', async () => {
    await using world = await AgentApiSetup.open()
    const { secret } = world
    const saved = await world.door.saveSummary({
      cwd: ROOT,
      summary: `token ${secret}`,
      filesChanged: [`${secret}.ts`],
      entitiesRegistered: [secret],
      checklistProgress: { [secret]: secret },
    })
    expect(JSON.stringify(saved)).not.toContain(secret)
    expect((await world.door.briefing({ cwd: ROOT })).text).not.toContain(secret)
  })
})

test('history is searched in summaries, checkpoints and memories, best first', async () => {
  await using world = await AgentApiSetup.open({
    longTermMemory: {
      recent: async () => [],
      search: async () => [{ docid: 4, title: 'shop: refund flow sketches', source: 'summary' }],
    },
  })
  await world.happen('s', { kind: 'session-started', source: 'startup', process: PROCESS })
  await world.happen('s', { kind: 'prompt-submitted', prompt: 'Build the refund flow' })
  await world.happen('s', { kind: 'session-ended', reason: 'exit' })
  await world.engine.drain()
  await world.engine.remember({ content: 'The refund flow uses queues', cwd: ROOT, source: 'cli' })
  await world.door.saveSummary({ cwd: ROOT, summary: 'Refunds\nThe refund flow retries three times.' })
  await world.door.saveSummary({ cwd: ROOT, summary: 'Nothing to do with it.' })
  const hits = await world.door.searchHistory({ cwd: ROOT, text: 'refund flow', limit: 10 })
  expect(new Set(hits.map(({ kind }) => kind))).toEqual(new Set(['summary', 'checkpoint', 'memory', 'pieces']))
  expect(hits.find(({ kind }) => kind === 'summary')).toMatchObject({
    title: 'Refunds',
    excerpt: 'The refund flow retries three times.',
  })
  expect(hits).toHaveLength(4)
  expect(await world.door.searchHistory({ cwd: ROOT, text: 'unheard', limit: 10 })).toEqual([])
})
