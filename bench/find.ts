// bench: the first page of `holdfast find` among 10,000 and 1,000,000 entries
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { toSessionId, ProjectId, SessionKey } from '../src/kernel/id.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import { madeUpSentences, percentile } from './recall-time.ts'

const BATCH = 1_000
const QUERIES = 200
const [, , small = '10000', large = '1000000'] = process.argv

/** Median and 95th percentile of a query of one, two and three words, in milliseconds. */
async function measure(
  entries: number,
): Promise<{ readonly p50: number; readonly p95: number; readonly fillMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-find-'))
  try {
    const file = join(folder, 'holdfast.db')
    const sentences = madeUpSentences(entries)
    const began = performance.now()
    {
      await using building = await openSqliteStore({ file: ':memory:' })
      for (let from = 0; from < entries; from += BATCH) {
        const batch = sentences.slice(from, from + BATCH).map(({ text }, index) => ({
          seq: from + index + 1,
          sessionId: toSessionId('claude-code', SessionKey(`s${Math.floor((from + index) / 50)}`)),
          projectId: ProjectId(`p${from % 40}`),
          harness: 'claude-code',
          kind: 'request' as const,
          at: '2026-01-01T00:00:00.000Z',
          text,
        }))
        await building.addToArchive(batch, from + batch.length)
      }
      await building.backup(file)
    }
    const fillMs = performance.now() - began
    await using store = await openSqliteStore({ file })
    const times: number[] = []
    for (let query = 0; query < QUERIES; query += 1) {
      const words = sentences[(query * 7_919) % entries]?.text.split(' ') ?? []
      const text = words.slice(query % 5, (query % 5) + 1 + (query % 3)).join(' ')
      const start = performance.now()
      const hits = await store.searchArchive({ text })
      times.push(performance.now() - start)
      if (hits.length === 0) throw new Error(`Nothing was found for ${text}.`)
    }
    return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), fillMs }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const results = new Map<number, Awaited<ReturnType<typeof measure>>>()
for (const entries of [Number(small), Number(large)]) {
  const result = await measure(entries)
  results.set(entries, result)
  const micros = (result.fillMs * 1_000) / entries
  console.log(
    `${entries} entries: p50 ${result.p50.toFixed(2)} ms, p95 ${result.p95.toFixed(2)} ms; ${micros.toFixed(0)} µs to add one`,
  )
}
const ratio = (results.get(Number(large))?.p50 ?? 0) / (results.get(Number(small))?.p50 ?? 1)
console.log(`ratio of the medians: ${ratio.toFixed(2)} (limit 3)`)
