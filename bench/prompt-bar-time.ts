import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from '@photostructure/sqlite'
import { DEFAULT_CONFIG } from '../src/kernel/config.ts'
import { judgeForPrompt } from '../src/memory/prompt/prompt-threshold.ts'
import { extractQueryTerms } from '../src/kernel/text/terms.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import { SEARCH_WIDTH } from './prompt-bar-replay.ts'
import { keepMemories, PROJECT } from './recall-rows.ts'
import { madeUpSentences, percentile } from './recall-time.ts'

const PROMPTS = 200

export interface PromptTime {
  readonly memories: number
  readonly promptWords: number
  readonly p50: number
  readonly p95: number
  /** Of the judging alone. */
  readonly judgedP50: number
  readonly plainP50: number
  readonly ratio: number
}

/** What a prompt waits for: the search and the bar, beside one plain FTS query over the same file for the same words. */
export async function timePrompts(memories: number, promptWords: number): Promise<PromptTime> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-prompt-bar-'))
  try {
    const file = join(folder, 'holdfast.db')
    const kept = madeUpSentences(memories)
    {
      await using building = await openSqliteStore({ file: ':memory:' })
      await keepMemories(building, kept)
      await building.backup(file)
    }
    await using store = await openSqliteStore({ file })
    const database = new DatabaseSync(file, { readOnly: true })
    const plain = database.prepare(
      'select rowid from memory_terms where memory_terms match ? order by bm25(memory_terms) limit ?',
    )
    const [took, judged, plainTook]: [number[], number[], number[]] = [[], [], []]
    for (let sample = 0; sample < PROMPTS; sample++) {
      const words = [0, 1].flatMap((more) => (kept[(sample * 7_919 + more) % memories]?.text ?? '').split(' '))
      const text = words.slice(0, promptWords).join(' ')
      const start = performance.now()
      const search = { projectId: PROJECT, text, isLiteral: true, limit: SEARCH_WIDTH }
      const hits = await store.searchMemories(search)
      const found = performance.now()
      judgeForPrompt(text, hits, { ...DEFAULT_CONFIG.memory, shown: new Set() })
      const end = performance.now()
      took.push(end - start)
      judged.push(end - found)
      plain.all(
        extractQueryTerms(text)
          .map((term) => `"${term}"`)
          .join(' OR '),
        SEARCH_WIDTH,
      )
      plainTook.push(performance.now() - end)
    }
    database.close()
    const [p50, plainP50] = [percentile(took, 0.5), percentile(plainTook, 0.5)]
    const rest = { p95: percentile(took, 0.95), judgedP50: percentile(judged, 0.5), ratio: p50 / plainP50 }
    return { memories, promptWords, p50, plainP50, ...rest }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
