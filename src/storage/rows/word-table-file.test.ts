import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { aMemory } from '../../../test/contracts/store-examples.ts'
import { MemoryId, ProjectId } from '../../kernel/id.ts'
import { openSqliteStore } from '../sqlite/engine.ts'
import { fileEmbeddings } from './word-table-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-words-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SHIPPED = fileURLToPath(new URL('../../../assets/word-table.bin', import.meta.url))
const PROJECT = ProjectId('project-a')

test('the shipped table has words of similar meaning', () => {
  expect(existsSync(SHIPPED)).toBe(true)
  const shipped = fileEmbeddings(SHIPPED)
  const near = (term: string) => shipped.related(term, 12).map((found) => found.term)
  expect(near('doctor')).toContain('physician')
  expect(near('delet')).toContain('remov')
})

test('a missing or invalid table means full text alone, logged once', () => {
  const broken = join(folder, 'broken.bin')
  writeFileSync(broken, 'nothing of the kind')
  for (const file of [broken, join(folder, 'missing.bin')]) {
    const said: string[] = []
    const warn = (message: string) => said.push(message)
    const nothing = () => undefined
    const none = fileEmbeddings(file, { debug: nothing, info: nothing, warn, error: nothing })
    expect([none.embed(['doctor']), none.related('doctor', 3), none.related('doctor', 3)]).toEqual([undefined, [], []])
    expect(said).toHaveLength(1)
  }
})

async function answerTo(question: string, file: string, isLiteral = false): Promise<readonly string[]> {
  await using store = await openSqliteStore({ file: ':memory:', embeddings: fileEmbeddings(file) })
  for (const content of [
    'The physician signs every prescription',
    'Invoices are sent on Mondays',
    'Trees are pruned',
  ]) {
    await store.saveMemory(aMemory(content))
  }
  const hits = await store.searchMemories({ projectId: PROJECT, text: question, isLiteral, limit: 3 })
  return hits.map(({ memory }) => memory.content)
}

test('a query without matches is answered by words of similar meaning, unless only exact words count', async () => {
  expect(await answerTo('doctor', SHIPPED)).toEqual(['The physician signs every prescription'])
  expect(await answerTo('doctor', join(folder, 'missing.bin'))).toEqual([])
  expect(await answerTo('doctor', SHIPPED, true)).toEqual([])
  expect(await answerTo('kubernetes', SHIPPED)).toEqual([])
})

test('a question that shares no word with a memory finds it, and words of time choose among several', async () => {
  await using store = await openSqliteStore({ file: ':memory:', embeddings: fileEmbeddings(SHIPPED) })
  const said: readonly (readonly [day: string, text: string])[] = [
    ['2026-03-10', 'The mascot is an otter.'],
    ['2026-03-12', 'We agreed to pay for the hosted queue.'],
    ['2026-05-20', 'Version 2.0 was released.'],
    ['2026-06-02', 'The parser was split in two.'],
    ['2026-06-09', 'Response time of the search was 900 ms.'],
    ['2026-06-16', 'Response time of the search is 150 ms with the cache.'],
  ]
  for (const [index, [day, content]] of said.entries()) {
    await store.saveMemory(aMemory(content, { id: MemoryId(`m${index}`), createdAt: `${day}T12:00:00.000Z`, tags: [] }))
  }
  const first = async (text: string) => {
    const now = '2026-06-17T12:00:00.000Z'
    const [hit] = await store.searchMemories({ projectId: PROJECT, text, now, limit: 3 })
    return hit?.memory.content
  }
  expect(await first('Which animal represents us?')).toBe('The mascot is an otter.')
  expect(await first('What was decided in March?')).toBe('We agreed to pay for the hosted queue.')
  expect(await first('What was changed after the release of version 2.0?')).toBe('The parser was split in two.')
  expect(await first('What was the original response time?')).toBe('Response time of the search was 900 ms.')
  expect(await first('latest response time')).toBe('Response time of the search is 150 ms with the cache.')
  expect(await first('What happened yesterday?')).toBe('Response time of the search is 150 ms with the cache.')
})

async function firstOf(said: readonly (readonly [day: string, text: string])[], text: string) {
  await using store = await openSqliteStore({ file: ':memory:', embeddings: fileEmbeddings(SHIPPED) })
  for (const [index, [day, content]] of said.entries()) {
    await store.saveMemory(aMemory(content, { id: MemoryId(`m${index}`), createdAt: `${day}T12:00:00.000Z`, tags: [] }))
  }
  const now = '2026-06-17T12:00:00.000Z'
  const [hit] = await store.searchMemories({ projectId: PROJECT, text, now, limit: 3 })
  return hit && { text: hit.memory.content, relevance: hit.relevance }
}

test.each([
  ['Where do we track bugs?', 'We track bugs in Jira.', 'We replaced Jira with Linear for bugs.'],
  ['Where does she live?', 'Mara lives in Ghent.', 'Mara moved to Bruges.'],
  ['When is lunch?', 'Lunch is at noon.', 'Lunch is at 13:00 from today on.'],
])('a statement that a thing changed comes before the older one, in other words: %s', async (ask, older, newer) => {
  const others = ['The user plays chess.', 'The user now owns a boat.', 'Deploys now run at night.']
  const said = [older, ...others, newer].map((text, day) => [`2026-06-1${day}`, text] as const)
  expect((await firstOf(said, ask))?.text).toBe(newer)
  // What changed is another thing.
  expect((await firstOf(said.slice(0, -1), ask))?.text).toBe(older)
})

test('a question for a state at a time is answered by what held then, one for what happened is not', async () => {
  const said = [
    ['2026-06-01', 'On 2026-01-20 the site was moved to Netlify.'],
    ['2026-06-01', 'On 2026-05-11 the site was moved to Vercel.'],
    ['2026-06-01', 'On 2026-03-02 the domain expired.'],
  ] as const
  expect((await firstOf(said, 'Where was the site in March 2026?'))?.text).toBe(said[0][1])
  expect((await firstOf(said, 'What happened to the site in March 2026?'))?.text).toBe(said[2][1])
})

test('a question for a kind of thing finds its name; the closest meaning is a guess without relevance', async () => {
  const said = [
    ['2026-06-01', 'Orders go into PostgreSQL.'],
    ['2026-06-01', 'She gets up at five every morning.'],
  ] as const
  expect((await firstOf(said, 'Which database?'))?.text).toBe(said[0][1])
  expect(await firstOf(said, 'Is she an early riser?')).toEqual({ text: said[1][1], relevance: 0 })
})
