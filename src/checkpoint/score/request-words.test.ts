import { describe, expect, test } from 'vitest'
import { createNameOverlap } from './path-score.ts'

describe('the words of a request', () => {
  test('include those of its names, without words that every request has', () => {
    const paths = ['src/session_log.ts', 'src/fix.ts', 'src/parse.ts']
    expect(paths.map(createNameOverlap('can you fix getSessionLogs', paths))).toEqual([1, 0, 0])
  })

  test('a word that most files have counts less than one that few have', () => {
    const paths = ['src/token_reader_logs.go', 'src/token_reader_sync.go', 'src/token_cache.go', 'src/grammar.go']
    const rare = createNameOverlap('look at the logs', paths)('src/token_reader_logs.go')
    const common = createNameOverlap('look at token things', paths)('src/token_reader_logs.go')
    expect(rare).toBeGreaterThan(common)
    expect(common).toBeGreaterThan(0)
  })

  test('a file of which nothing was said shares nothing, one that was named shares all', () => {
    const shared = createNameOverlap('grammar, please', ['src/grammar.test.ts', 'src/index.ts'])
    expect([shared('src/grammar.test.ts'), shared('src/index.ts')]).toEqual([1, 0])
  })
})
