import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from '@photostructure/sqlite'
import type { Embeddings } from '../src/memory/recall/embeddings.ts'
import { extractQueryTerms } from '../src/kernel/text/terms.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import { keepMemories, PROJECT, type Said } from './recall-rows.ts'

const QUESTIONS = 200
const QUESTION_WORDS = 8
const WORDS = 30
const VOCABULARY = 20_000
const DEPTH = 10
/** The plain query takes an order of magnitude longer, and its median is known sooner. */
const PLAIN_EVERY = 5
/** Every so many, one takes the place of the one before, in nearly the same words. */
const SUPERSEDED_EVERY = 50

/** Letters alone: digits would be words of their own. */
function spelled(number: number): string {
  const syllable = (value: number) => `${'bdfghjklmnprtvwz'[value % 16]}${'aeiou'[Math.floor(value / 16) % 5]}`
  return `${syllable(number)}${syllable(Math.floor(number / 80))}${syllable(Math.floor(number / 6_400))}k`
}

/** Made-up sentences over 20,000 words whose frequency falls as in any language; the same at every run. */
export function madeUpSentences(count: number): readonly Said[] {
  let state = 42
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  const word = () => spelled(Math.floor(VOCABULARY ** random()))
  let last = ''
  return Array.from({ length: count }, (_, index) => {
    const isNewer = index % SUPERSEDED_EVERY === SUPERSEDED_EVERY - 1
    const text = isNewer ? `${last} again` : Array.from({ length: WORDS }, word).join(' ')
    last = text
    return {
      id: `m${index}`,
      session: `s${Math.floor(index / 20)}`,
      text,
      ...(isNewer && { supersedes: `m${index - 1}` }),
    }
  })
}

export function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0
}

/** The time of a query through the store's own search, and of one plain FTS query over the same file for the same words. */
export async function timeQueries(items: number, embeddings: Embeddings): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-recall-'))
  try {
    const file = join(folder, 'holdfast.db')
    const kept = madeUpSentences(items)
    // Kept in memory and copied: a hundred thousand times durable is not what is measured here.
    {
      await using building = await openSqliteStore({ file: ':memory:' })
      await keepMemories(building, kept)
      await building.backup(file)
    }
    await using store = await openSqliteStore({ file, embeddings })
    const database = new DatabaseSync(file, { readOnly: true })
    const plain = database.prepare(
      'select rowid from memory_terms where memory_terms match ? order by bm25(memory_terms) limit ?',
    )
    const superseded = new Set(kept.flatMap(({ supersedes }) => supersedes ?? []))
    const took: number[] = []
    const plainTook: number[] = []
    let supersededFirst = 0
    for (let sample = 0; sample < QUESTIONS; sample++) {
      // Half of them in the very words of a memory that was superseded.
      const at = sample % 2 === 0 ? sample * 7_919 : (Math.floor((sample * 7_919) / 50) + 1) * SUPERSEDED_EVERY - 2
      const text = (kept[at % items]?.text ?? '').split(' ').slice(0, QUESTION_WORDS).join(' ')
      const start = performance.now()
      const [first] = await store.searchMemories({ projectId: PROJECT, text, limit: DEPTH })
      took.push(performance.now() - start)
      if (first !== undefined && superseded.has(first.memory.id)) supersededFirst++
      if (sample % PLAIN_EVERY !== 0) continue
      const phrase = extractQueryTerms(text)
      const plainStart = performance.now()
      plain.all(phrase.map((term) => `"${term}"`).join(' OR '), DEPTH)
      plainTook.push(performance.now() - plainStart)
    }
    database.close()
    const [p50, plainP50] = [percentile(took, 0.5), percentile(plainTook, 0.5)]
    console.log(
      `recall among ${items} memories on disk: query p50 ${p50.toFixed(1)} ms, p95 ${percentile(took, 0.95).toFixed(1)} ms; ` +
        `plain FTS query p50 ${plainP50.toFixed(1)} ms, ratio ${(p50 / plainP50).toFixed(2)}; ` +
        `superseded first: ${supersededFirst} of ${QUESTIONS}`,
    )
    if (supersededFirst > 0) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
