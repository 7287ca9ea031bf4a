import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { aMemory } from '../../../test/contracts/store-examples.ts'
import { ProjectId } from '../../kernel/id.ts'
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
