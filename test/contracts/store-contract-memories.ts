import { describe, expect, test } from 'vitest'
import { ME_PROJECT, MemoryId, ProjectId } from '../../src/kernel/id.ts'
import type { Memory } from '../../src/kernel/memory.ts'
import type { MemorySearch, Store } from '../../src/kernel/ports/ports.ts'
import { aMemory, idOf, minutesLater } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

const PROJECT = ProjectId('project-a')

const HOSTILE = [
  '',
  '   ',
  '"',
  "'",
  "' OR 1=1 --",
  '"unclosed',
  'NEAR(a b)',
  'AND OR NOT',
  'a AND (b',
  '* ^ : - + ~ { } [ ]',
  'terms : foo',
  '\\',
  'a\u0000b',
  '\ud800',
  'foo & | ! <-> bar:*',
  '%_$1 ?1 :name @x',
  '\u{1f6a2}',
  'x'.repeat(20_000),
  'word '.repeat(5_000),
]

async function keepAll(store: Store, memories: readonly Memory[]): Promise<void> {
  for (const memory of memories) await store.saveMemory(memory)
}

async function contents(store: Store, text: string, query: Partial<MemorySearch> = {}): Promise<readonly string[]> {
  const hits = await store.searchMemories({ projectId: PROJECT, text, limit: 10, ...query })
  return hits.map(({ memory }) => memory.content)
}

export function memoryContract(open: OpenStoreForTest): void {
  describe('memories', () => {
    test('an unknown one is not found', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.findMemory(MemoryId('nobody'))).toBeUndefined()
      expect(await store.listMemories({ limit: 10 })).toEqual([])
      expect(await store.searchMemories({ projectId: PROJECT, text: 'anything', limit: 5 })).toEqual([])
      expect(await store.deleteMemory(MemoryId('nobody'))).toBe(false)
      await store.recordHits([MemoryId('nobody')], minutesLater(1))
      await store.recordHits([], minutesLater(1))
    })

    test('of the user are listed and found in every project, with their scope and origin', async () => {
      await using opened = await open()
      const { store } = opened
      const mine = aMemory('I prefer short answers', {
        projectId: ME_PROJECT,
        scope: 'me',
        origin: { principal: 'person-1', machine: { id: 'machine-2', name: 'laptop' } },
      })
      await keepAll(store, [aMemory('Use pnpm'), mine])
      expect(await store.findMemory(mine.id)).toEqual(mine)
      const elsewhere = ProjectId('project-z')
      expect(await store.listMemories({ projectId: elsewhere, limit: 9 })).toEqual([mine])
      expect(await contents(store, 'short answers', { projectId: elsewhere })).toEqual([mine.content])
      expect(await contents(store, 'pnpm', { projectId: elsewhere })).toEqual([])
      const promoted = aMemory('Use pnpm everywhere', { projectId: ME_PROJECT, scope: 'me' })
      const [before] = (await store.listMemories({ projectId: PROJECT, limit: 9 })).filter(
        ({ scope }) => scope !== 'me',
      )
      await store.saveMemory({ ...promoted, ...(before !== undefined && { supersedes: before.id }) })
      expect(await contents(store, 'pnpm', { projectId: elsewhere })).toEqual([promoted.content])
    })

    test('are listed and found by scope; one without is of its project', async () => {
      await using opened = await open()
      const { store } = opened
      const mine = aMemory('pnpm at home', { projectId: ME_PROJECT, scope: 'me' })
      const own = aMemory('pnpm here')
      const shared = aMemory('pnpm for all', { scope: 'team' })
      await keepAll(store, [mine, own, shared])
      for (const [scope, memory] of [
        ['me', mine],
        ['project', own],
        ['team', shared],
      ] as const) {
        expect(await store.listMemories({ projectId: PROJECT, scope, limit: 9 })).toEqual([memory])
        expect(await contents(store, 'pnpm', { scope })).toEqual([memory.content])
      }
    })

    test('are listed page by page', async () => {
      await using opened = await open()
      const { store } = opened
      const all = ['one', 'two', 'three', 'four', 'five'].map((content) => aMemory(content))
      await keepAll(store, all)
      const first = await store.listMemories({ projectId: PROJECT, limit: 2 })
      const next = await store.listMemories({ projectId: PROJECT, afterMemory: first[1]?.id, limit: 10 })
      expect([...first, ...next]).toEqual(all.toReversed())
      expect(await store.listMemories({ projectId: PROJECT, afterMemory: all[0]?.id, limit: 10 })).toEqual([])
    })

    test('are kept whole; a known id is a no-op', async () => {
      await using opened = await open()
      const { store } = opened
      const memory = aMemory('Use pnpm, never npm', { type: 'preference', tags: ['tools'], sessionId: idOf('a') })
      await store.saveMemory(memory)
      await store.saveMemory({ ...memory, content: 'something else' })
      expect(await store.findMemory(memory.id)).toEqual(memory)
      expect(await store.counts()).toMatchObject({ memories: 1 })
    })

    test('are kept with what was seen of an approach that failed, and listed by type', async () => {
      await using opened = await open()
      const { store } = opened
      const failed = aMemory('npm test failed three times', {
        type: 'failed_approach',
        evidence: {
          kind: 'revert',
          keys: ['npm test'],
          command: 'npm test',
          purpose: 'test',
          seqs: [3, 5, 9],
          failures: 3,
          exitStatus: 1,
          error: 'TypeError: x is not a function',
          traits: ['typeerror: x is not a function'],
          files: ['src/a.ts'],
          undone: { how: 'git checkout -- src/a.ts', helped: true },
          sessions: [idOf('a')],
          branch: 'main',
          epoch: 1,
          resolved: { sessionId: idOf('a'), seq: 12, files: [] },
        },
      })
      await keepAll(store, [aMemory('a fact'), failed, aMemory('a lesson', { type: 'lesson' })])
      expect(await store.findMemory(failed.id)).toEqual(failed)
      expect(await store.listMemories({ projectId: PROJECT, types: ['failed_approach'], limit: 5 })).toEqual([failed])
      expect(await store.listMemories({ projectId: PROJECT, types: [], limit: 5 })).toEqual([])
      expect((await store.searchMemories({ projectId: PROJECT, text: 'npm failed', limit: 5 }))[0]?.memory).toEqual(
        failed,
      )
    })

    test('are listed newest first, by project', async () => {
      await using opened = await open()
      const { store } = opened
      const memories = [
        aMemory('first'),
        aMemory('second'),
        aMemory('elsewhere', { projectId: ProjectId('project-b') }),
      ]
      await keepAll(store, memories)
      const listed = async (query: Parameters<typeof store.listMemories>[0]) =>
        (await store.listMemories(query)).map(({ content }) => content)
      expect(await listed({ limit: 10 })).toEqual(['elsewhere', 'second', 'first'])
      expect(await listed({ projectId: PROJECT, limit: 10 })).toEqual(['second', 'first'])
      expect(await listed({ projectId: PROJECT, limit: 1 })).toEqual(['second'])
    })

    test('one that is replaced has the new content, once, as the newest', async () => {
      await using opened = await open()
      const { store } = opened
      const [older, other] = [aMemory('We use tabs', { hits: 2 }), aMemory('Money is in cents')]
      await keepAll(store, [older, other])
      const again = { ...older, content: 'We use tabs because of the formatter' }
      await store.replaceMemory(again)
      expect(await store.listMemories({ limit: 10 })).toEqual([again, other])
      expect(await contents(store, 'formatter tabs')).toEqual([again.content])
    })

    test('records of tasks are left out of lists on request, and come last in searches, one for each task', async () => {
      await using opened = await open()
      const { store } = opened
      const aRecord = (text: string, task: string) => aMemory(text, { source: 'task', tags: ['task-checkpoint', task] })
      const records = [
        aRecord('Task login, gate 1, login form', 'task_login'),
        aRecord('Task login, gate 2, login form', 'task_login'),
        aRecord('Task billing, gate 1, login form', 'task_billing'),
      ]
      const memory = aMemory('The login form has two fields and a long explanation of what they are for')
      await keepAll(store, [memory, ...records])
      expect(await store.listMemories({ withoutTasks: true, limit: 10 })).toEqual([memory])
      const found = await contents(store, 'login form')
      expect([found[0], found.length]).toEqual([memory.content, 3])
      expect(await contents(store, 'login form', { includeTasks: true })).toHaveLength(4)
    })

    test('are listed by type, or by type and importance', async () => {
      await using opened = await open()
      const { store } = opened
      const decision = aMemory('PostgreSQL 16', { type: 'decision', importance: 3 })
      const important = aMemory('Never push on Fridays', { importance: 7 })
      await keepAll(store, [decision, important, aMemory('A note', { importance: 6 })])
      expect(await store.listMemories({ types: ['decision'], limit: 10 })).toEqual([decision])
      expect(await store.listMemories({ types: ['decision'], orImportance: 7, limit: 10 })).toEqual([
        important,
        decision,
      ])
    })

    test('a superseded one is never returned as current', async () => {
      await using opened = await open()
      const { store } = opened
      const older = aMemory('The API listens on port 8080')
      const newer = aMemory('The API listens on port 9090', { supersedes: older.id })
      await keepAll(store, [older, newer])
      expect(await store.findMemory(older.id)).toEqual({ ...older, supersededBy: newer.id })
      expect(await contents(store, 'port of the API 8080')).toEqual([newer.content])
      expect(await store.listMemories({ limit: 5 })).toEqual([newer])
      expect(await store.listMemories({ includeSuperseded: true, limit: 5 })).toHaveLength(2)
    })

    test('superseding what is superseded already is a conflict, and keeps nothing', async () => {
      await using opened = await open()
      const { store } = opened
      const older = aMemory('one')
      const newer = aMemory('two', { supersedes: older.id })
      const late = aMemory('three', { supersedes: older.id })
      await keepAll(store, [older, newer])
      await expect(store.saveMemory(late)).rejects.toMatchObject({ code: 'conflict' })
      expect(await store.findMemory(late.id)).toBeUndefined()
      await store.saveMemory(newer)
    })

    test('what took its place and was forgotten leaves the place to another; the older one stays silent', async () => {
      await using opened = await open()
      const { store } = opened
      const older = aMemory('one')
      const newer = aMemory('two', { supersedes: older.id })
      const late = aMemory('three', { supersedes: older.id })
      await keepAll(store, [older, newer])
      await store.deleteMemory(newer.id)
      expect(await store.listMemories({ limit: 5 })).toEqual([])
      await store.saveMemory(late)
      expect(await store.listMemories({ limit: 5 })).toEqual([late])
      expect((await store.findMemory(older.id))?.supersededBy).toBe(late.id)
    })

    test('of two that supersede the same one at once, one wins', async () => {
      await using opened = await open()
      const { store } = opened
      const older = aMemory('one')
      await store.saveMemory(older)
      const rivals = ['two', 'three', 'four'].map((content) =>
        store.saveMemory(aMemory(content, { supersedes: older.id })),
      )
      const outcomes = await Promise.allSettled(rivals)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await store.listMemories({ limit: 5 })).toHaveLength(1)
    })

    test.each([
      ['is unknown', MemoryId('nobody'), PROJECT],
      ['belongs to another project', undefined, ProjectId('project-b')],
    ])('superseding one that %s is refused', async (_, id, projectId) => {
      await using opened = await open()
      const { store } = opened
      const older = aMemory('one')
      await store.saveMemory(older)
      const newer = aMemory('two', { supersedes: id ?? older.id, projectId })
      await expect(store.saveMemory(newer)).rejects.toMatchObject({ code: 'not-found' })
      expect(await store.findMemory(older.id)).toEqual(older)
    })

    test('count their hits', async () => {
      await using opened = await open()
      const { store } = opened
      const [a, b] = [aMemory('a'), aMemory('b')]
      await keepAll(store, [a, b])
      await store.recordHits([a.id, b.id], minutesLater(1))
      await store.recordHits([a.id], minutesLater(2))
      expect(await store.findMemory(a.id)).toEqual({ ...a, hits: 2, lastHitAt: minutesLater(2) })
      expect(await store.findMemory(b.id)).toEqual({ ...b, hits: 1, lastHitAt: minutesLater(1) })
    })

    test('a deleted one is gone, from search too', async () => {
      await using opened = await open()
      const { store } = opened
      const memory = aMemory('ephemeral knowledge')
      await store.saveMemory(memory)
      expect(await store.deleteMemory(memory.id)).toBe(true)
      expect(await store.deleteMemory(memory.id)).toBe(false)
      expect(await contents(store, 'ephemeral')).toEqual([])
      await store.saveMemory(aMemory('unrelated words'))
      expect(await contents(store, 'ephemeral')).toEqual([])
    })
  })

  describe('searching memories', () => {
    const RETRY = 'retryWithBackoff must never be called from the render loop'
    const SNAKE = 'max_pool_size is 20 because the server refuses more'
    const TESTS = 'Running the tests needs a local redis'

    test('finds the parts of identifiers, either way round', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [aMemory(RETRY), aMemory(SNAKE), aMemory(TESTS)])
      expect(await contents(store, 'backoff')).toEqual([RETRY])
      expect(await contents(store, 'retryWithBackoff')).toEqual([RETRY])
      expect(await contents(store, 'retry_with_backoff')).toEqual([RETRY])
      expect(await contents(store, 'pool size')).toEqual([SNAKE])
      expect(await contents(store, 'maxPoolSize')).toEqual([SNAKE])
    })

    test('sees past plural, tense and case', async () => {
      await using opened = await open()
      await keepAll(opened.store, [aMemory(RETRY), aMemory(TESTS)])
      expect(await contents(opened.store, 'RUN test')).toEqual([TESTS])
      expect(await contents(opened.store, 'tested')).toEqual([TESTS])
    })

    test('ranks what covers more of the question first, and says how much', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [aMemory('redis is fast'), aMemory(TESTS), aMemory('nothing of the kind')])
      const hits = await store.searchMemories({ projectId: PROJECT, text: 'do the tests need redis?', limit: 5 })
      expect(hits.map(({ memory, coverage }) => [memory.content, coverage])).toEqual([
        [TESTS, 1],
        ['redis is fast', 1 / 3],
      ])
      expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? Infinity)
    })

    test('leaves out those of the calling session, also next to others', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        aMemory('redis is fast', { sessionId: idOf('a') }),
        aMemory('redis is down', { sessionId: idOf('b') }),
        aMemory('redis was bought'),
      ])
      expect((await contents(store, 'redis')).toSorted()).toEqual([
        'redis is down',
        'redis is fast',
        'redis was bought',
      ])
      expect((await contents(store, 'redis', { notSession: idOf('a') })).toSorted()).toEqual([
        'redis is down',
        'redis was bought',
      ])
    })

    test('of equals the more important comes first, then the newer', async () => {
      await using opened = await open()
      const memories = [
        aMemory('deploy on fridays', { importance: 5 }),
        aMemory('deploy on mondays', { importance: 9 }),
        aMemory('deploy on tuesdays', { importance: 5 }),
      ]
      await keepAll(opened.store, memories)
      expect(await contents(opened.store, 'deploy')).toEqual([
        'deploy on mondays',
        'deploy on tuesdays',
        'deploy on fridays',
      ])
    })

    test('superseded ones come only when asked for, and after all others', async () => {
      await using opened = await open()
      const { store } = opened
      const old = aMemory('cache cache cache')
      await keepAll(store, [old, aMemory('another word about the cache', { supersedes: old.id })])
      expect(await contents(store, 'cache')).toEqual(['another word about the cache'])
      expect(await contents(store, 'cache', { includeSuperseded: true })).toEqual([
        'another word about the cache',
        'cache cache cache',
      ])
    })

    test('what was said next to a match in the same session comes after it, unless only the words count', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        aMemory('Redis is in docker', { sessionId: idOf('a') }),
        aMemory('Start it before the tests', { sessionId: idOf('a') }),
        aMemory('Something else', { sessionId: idOf('b') }),
      ])
      expect(await contents(store, 'redis')).toEqual(['Redis is in docker', 'Start it before the tests'])
      expect(await contents(store, 'redis', { isLiteral: true })).toEqual(['Redis is in docker'])
    })

    test('a short form finds the long one, after what has the very word', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [aMemory('the database is slow'), aMemory('the db is fast')])
      expect(await contents(store, 'db')).toEqual(['the db is fast', 'the database is slow'])
    })

    test('stays within the project, the types and the limit', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        aMemory('cache warm', { type: 'lesson' }),
        aMemory('cache cold', { type: 'decision' }),
        aMemory('cache elsewhere', { projectId: ProjectId('project-b') }),
      ])
      expect(await contents(store, 'cache', { types: ['lesson'] })).toEqual(['cache warm'])
      expect(await contents(store, 'cache', { types: [] })).toEqual([])
      expect(await contents(store, 'caching', { limit: 1 })).toHaveLength(1)
      expect((await contents(store, 'cache')).toSorted()).toEqual(['cache cold', 'cache warm'])
    })

    test('looks into tags', async () => {
      await using opened = await open()
      await opened.store.saveMemory(aMemory('ask first', { tags: ['deployment'] }))
      expect(await contents(opened.store, 'deployments')).toEqual(['ask first'])
    })

    test('finds text in other scripts', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        aMemory('数据库迁移必须先备份'),
        aMemory('Überprüfung der Größe'),
        aMemory('проверка сборки'),
      ])
      expect(await contents(store, '备份')).toEqual(['数据库迁移必须先备份'])
      expect(await contents(store, 'uberprufung')).toEqual(['Überprüfung der Größe'])
      expect(await contents(store, 'GRÖSSE')).toEqual(['Überprüfung der Größe'])
      expect(await contents(store, 'СБОРКИ')).toEqual(['проверка сборки'])
    })

    test('takes any text for what it says, never for syntax', async () => {
      await using opened = await open()
      await opened.store.saveMemory(aMemory('x a b foo bar unclosed'))
      for (const text of HOSTILE) {
        const hits = await opened.store.searchMemories({ projectId: PROJECT, text, limit: 5 })
        for (const { coverage } of hits) expect({ text, isCovered: coverage > 0 }).toEqual({ text, isCovered: true })
      }
    })
  })
}
