// bench: recall of memories and checkpoints by the product's own ranking, beside plain BM25
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { MemoryId, ProjectId, SessionId } from '../src/core/id.ts'
import type { Store } from '../src/core/ports.ts'
import { rankWork } from '../src/core/recall/history.ts'
import { openSqliteStore } from '../src/storage/sqlite/open.ts'
import { openPlainBm25 } from './recall-baseline.ts'
import { type Conversation, conversationsIn, type Question, retrievalFolder, workQuestionsIn } from './recall-data.ts'

const HELP = `Usage: bench/recall [--data DIR] [--split NAME] [--out ranked.jsonl] [--items 100000]

Ranks every question of DIR/NAME/retrieval with the product's own code: what was said goes through the store as
memories, checkpoints through the ranking of search_history. Writes {set, q, ranked} lines to --out, and closes with
recall@5 and @10 beside plain BM25 (FTS5, porter) over the same texts. With --items, measures the time of a query among
that many memories instead.`
const DEPTH = 10

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    out: { type: 'string' },
    items: { type: 'string' },
    help: { type: 'boolean' },
  },
})

interface Answer {
  readonly set: string
  readonly question: Question
  readonly ranked: readonly string[]
  readonly plain: readonly string[]
  readonly ms: number
}

const project = ProjectId('bench')
/** Past this, a transaction for each memory would be most of the time. */
const AT_ONCE = 500

async function keepAll(store: Store, items: readonly { id: string; session: string; text: string }[]): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const slice = items.slice(from, from + AT_ONCE)
    await Promise.all(
      slice.map(({ id, session, text }) =>
        store.keepMemory({
          id: MemoryId(id),
          projectId: project,
          type: 'note',
          content: text,
          importance: 5,
          tags: [],
          source: 'bench',
          sessionId: SessionId(session),
          createdAt: '2026-01-01T00:00:00.000Z',
          hits: 0,
        }),
      ),
    )
  }
}

async function answersOf({ turns, questions }: Conversation): Promise<readonly Answer[]> {
  await using store = await openSqliteStore({ file: ':memory:' })
  await keepAll(store, turns)
  using plain = openPlainBm25(turns)
  const answers: Answer[] = []
  for (const question of questions) {
    const start = performance.now()
    const hits = await store.searchMemories({ projectId: project, text: question.text, limit: DEPTH })
    const ms = performance.now() - start
    const ranked = hits.map(({ memory }) => String(memory.id))
    answers.push({ set: 'locomo-turn', question, ranked, plain: plain.search(question.text, DEPTH), ms })
  }
  return answers
}

function workAnswers(folder: string): readonly Answer[] {
  return workQuestionsIn(folder).map((question) => {
    const start = performance.now()
    const ranked = rankWork(question.text, question.candidates).slice(0, DEPTH)
    const ms = performance.now() - start
    using plain = openPlainBm25(
      question.candidates.map(({ id, text, files }) => ({ id, text: `${text} ${files.join(' ')}` })),
    )
    return {
      set: 'checkpoints',
      question,
      ranked: ranked.map(({ item }) => item.id),
      plain: plain.search(question.text, DEPTH),
      ms,
    }
  })
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function recallAt(depth: number, answers: readonly Answer[], which: 'ranked' | 'plain'): string {
  const asked = answers.filter(({ question }) => question.relevant.size > 0)
  const shares = asked.map(({ question: { relevant }, [which]: ids }) => {
    return ids.slice(0, depth).filter((id) => relevant.has(id)).length / relevant.size
  })
  return (shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)).toFixed(4)
}

function figuresOf(set: string, answers: readonly Answer[]): string {
  const at = (which: 'ranked' | 'plain') => `@5 ${recallAt(5, answers, which)} @10 ${recallAt(10, answers, which)}`
  return `${set}: recall${at('ranked')} (plain BM25 ${at('plain')}), query p50 ${median(answers.map(({ ms }) => ms)).toFixed(1)} ms`
}

async function score(folder: string): Promise<void> {
  const said: Answer[] = []
  for (const conversation of conversationsIn(folder)) said.push(...(await answersOf(conversation)))
  const worked = workAnswers(folder)
  if (values.out !== undefined) {
    const lines = [...said, ...worked].map(({ set, question, ranked }) =>
      JSON.stringify({ set, q: question.q, ranked }),
    )
    writeFileSync(resolve(values.out), `${lines.join('\n')}\n`)
  }
  console.log(`recall ${values.split}: ${figuresOf('locomo-turn', said)}; ${figuresOf('checkpoints', worked)}`)
}

/** Made-up sentences over 20,000 words whose frequency falls as in any language. */
function sentences(count: number): readonly { id: string; session: string; text: string }[] {
  let state = 42
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  const word = () => `word${Math.floor(20_000 ** random())}x`
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    session: `s${Math.floor(index / 20)}`,
    text: Array.from({ length: 30 }, word).join(' '),
  }))
}

async function time(items: number): Promise<void> {
  await using store = await openSqliteStore({ file: ':memory:' })
  const kept = sentences(items)
  await keepAll(store, kept)
  const took: number[] = []
  for (let sample = 0; sample < 200; sample++) {
    const text = (kept[(sample * 7_919) % items]?.text ?? '').split(' ').slice(0, 8).join(' ')
    const start = performance.now()
    await store.searchMemories({ projectId: project, text, limit: DEPTH })
    took.push(performance.now() - start)
  }
  const p95 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.95)] ?? 0
  console.log(`recall among ${items} memories: query p50 ${median(took).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
}

if (values.help === true) console.log(HELP)
else if (values.items !== undefined) await time(Number(values.items))
else {
  const folder = retrievalFolder(resolve(values.data), values.split)
  if (folder === undefined)
    console.log(`There is no retrieval data for "${values.split}" in ${values.data}; nothing was measured.`)
  else await score(folder)
}
