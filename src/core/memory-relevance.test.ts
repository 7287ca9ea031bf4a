import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from './config.ts'
import { MemoryId, ProjectId } from './id.ts'
import type { MemoryHit } from './memory.ts'
import { clearsBar, relevanceOf } from './memory-relevance.ts'

function aHit(content: string): MemoryHit {
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
  }
  return { memory, score: 1, coverage: 1 }
}

const isShown = (prompt: string, memory: string) => clearsBar(prompt, aHit(memory), DEFAULT_CONFIG.memory)

describe('a memory is put before a prompt', () => {
  test.each([
    ['Why do the parser tests fail on blank lines?', 'Parser tests need blank lines between paragraphs.'],
    ['fix splitLines', 'splitLines drops the last line on Windows'],
    ['deploying to staging fails', 'Deploy to staging only from the release branch.'],
  ])('when it shares enough with it: %s', (prompt, memory) => expect(isShown(prompt, memory)).toBe(true))

  test.each([
    ['Go on.', 'Go modules live in pkg/.'],
    ['please do it again with the other one', 'Do it again with the other one when the first run fails.'],
    ['Rename the release script and update the changelog for the parser.', 'The parser keeps blank lines.'],
    ['', 'The parser keeps blank lines.'],
  ])('never for a word in passing: %s', (prompt, memory) => expect(isShown(prompt, memory)).toBe(false))

  test('the words in common can be told', () => {
    expect(relevanceOf('caching the parser', 'The parser caches tokens.').matched).toEqual(['cach', 'parser'])
  })
})
