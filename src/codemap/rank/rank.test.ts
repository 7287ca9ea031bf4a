import { expect, test } from 'vitest'
import type { Change } from './history.ts'
import { rankFiles } from './rank.ts'
import type { Definition } from '../parse/symbol.ts'
import { countWords } from '../parse/words.ts'

function aFile(path: string, definitions: readonly Definition[], text: string) {
  return { path, definitions, words: countWords(text) }
}

const define = (name: string, line: number): Definition => ({ name, kind: 'function', line })
const change = (...paths: readonly string[]): Change => ({ files: paths.map((path) => ({ path, touched: [] })) })
const order = (ranked: ReturnType<typeof rankFiles>) => ranked.map(({ path }) => path)

test('without history, referenced files come first', () => {
  const files = [
    aFile('a/one.ts', [define('one', 1)], 'one shared'),
    aFile('b/two.ts', [define('two', 1)], 'two shared'),
    aFile('c/shared.ts', [define('shared', 1)], 'shared'),
  ]
  expect(order(rankFiles({ files, changes: [], dirty: [] }))).toEqual(['c/shared.ts', 'a/one.ts', 'b/two.ts'])
})

test('recent changes outweigh old ones, and uncommitted work outweighs both', () => {
  const files = ['a/old.ts', 'b/new.ts', 'c/dirty.ts', 'd/never.ts'].map((path) => aFile(path, [], ''))
  const changes = [change('b/new.ts'), ...Array.from({ length: 60 }, () => change('x')), change('a/old.ts')]
  expect(order(rankFiles({ files, changes, dirty: ['c/dirty.ts'] }))).toEqual([
    'c/dirty.ts',
    'b/new.ts',
    'a/old.ts',
    'd/never.ts',
  ])
})

test('a file in a busy folder comes before one in a quiet folder', () => {
  const files = ['a/quiet.ts', 'b/busy.ts', 'b/neighbour.ts'].map((path) => aFile(path, [], ''))
  expect(order(rankFiles({ files, changes: [change('b/busy.ts')], dirty: [] }))).toEqual([
    'b/busy.ts',
    'b/neighbour.ts',
    'a/quiet.ts',
  ])
})

test('the weight of recent work follows references', () => {
  const files = [
    aFile('a/busy.ts', [define('busy', 1)], 'busy tool'),
    aFile('b/other.ts', [define('other', 1)], 'other'),
    aFile('c/tool.ts', [define('tool', 1)], 'tool'),
  ]
  expect(order(rankFiles({ files, changes: [change('a/busy.ts')], dirty: [] }))).toEqual([
    'a/busy.ts',
    'c/tool.ts',
    'b/other.ts',
  ])
})

test('symbols: recently changed first, then referenced, then by line; a second definition of a name is dropped', () => {
  const files = [
    aFile('a.ts', [define('first', 1), define('asked', 5), define('touched', 9), define('first', 20)], ''),
    aFile('b.ts', [], 'asked'),
  ]
  const changes = [{ files: [{ path: 'a.ts', touched: ['touched', 'unknown'] }] }]
  const [ranked] = rankFiles({ files, changes, dirty: [] })
  expect(ranked?.symbols.map(({ name, line }) => `${name}:${line}`)).toEqual(['touched:9', 'asked:5', 'first:1'])
})

test('weights sum to one', () => {
  const files = ['a.ts', 'b.ts', 'c.ts'].map((path) => aFile(path, [], ''))
  const ranked = rankFiles({ files, changes: [change('a.ts', 'b.ts')], dirty: ['gone.ts'] })
  expect(ranked.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12)
})

test('an empty project has an empty ranking', () => {
  expect(rankFiles({ files: [], changes: [change('a')], dirty: [] })).toEqual([])
})
