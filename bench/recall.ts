// bench: recall of memories and work by the product's own path, beside plain BM25; the time of a query among 100,000
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { SessionId } from '../src/kernel/id.ts'
import { NO_EMBEDDINGS } from '../src/memory/recall/embeddings.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import { fileEmbeddings } from '../src/storage/rows/word-table-file.ts'
import { benchArguments } from './arguments.ts'
import { openPlainBm25 } from './recall-baseline.ts'
import {
  type Conversation,
  conversationsIn,
  type Question,
  retrievalFolder,
  type WorkedProject,
  workedProjectsIn,
} from './recall-data.ts'
import { checkpointOf, keepMemories, PROJECT } from './recall-rows.ts'
import { timeQueries } from './recall-time.ts'

const HELP = `Usage: bench/recall [--data DIR] [--split NAME] [--out ranked.jsonl] [--embeddings words|off] [--items N]

Ranks every question of DIR/NAME/retrieval through a store as the product opens it: what was said as memories
(\`holdfast recall\`), work as checkpoints that are kept one after the other (\`search_history\`). Writes {set, q, ranked}
lines to --out, and closes with recall@5 and @10 beside plain BM25 (FTS5, porter) over the same texts. Then measures the
time of a query among --items memories (100,000 unless told; 0 for none) in a database on disk, beside a plain FTS query,
and that no superseded one is ever first.`
const DEPTH = 10

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    out: { type: 'string' },
    embeddings: { type: 'string', default: 'words' },
    items: { type: 'string', default: '100000' },
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

const root = process.env['HOLDFAST_ROOT'] ?? '.'
const embeddings = values.embeddings === 'off' ? NO_EMBEDDINGS : fileEmbeddings(join(root, 'assets', 'word-table.bin'))

async function answersOf({ turns, questions }: Conversation): Promise<readonly Answer[]> {
  await using store = await openSqliteStore({ file: ':memory:', embeddings })
  await keepMemories(store, turns)
  using plain = openPlainBm25(turns)
  const answers: Answer[] = []
  for (const question of questions) {
    const start = performance.now()
    const hits = await store.searchMemories({ projectId: PROJECT, text: question.text, limit: DEPTH })
    const ms = performance.now() - start
    const ranked = hits.map(({ memory }) => String(memory.id))
    answers.push({ set: 'locomo-turn', question, ranked, plain: plain.search(question.text, DEPTH), ms })
  }
  return answers
}

/** Work is kept as time goes by, so that a question meets what there was when it was asked. */
async function workAnswers({ works, questions }: WorkedProject): Promise<readonly Answer[]> {
  await using store = await openSqliteStore({ file: ':memory:', embeddings })
  const answers: Answer[] = []
  let kept = 0
  for (const question of questions) {
    for (; (works[kept]?.createdAt ?? question.before) < question.before; kept++) {
      const work = works[kept]
      if (work !== undefined) await store.saveCheckpoint(checkpointOf(work))
    }
    const { text, notSession } = question
    const start = performance.now()
    const hits = await store.searchWork({
      projectId: PROJECT,
      text,
      notSession: SessionId(notSession),
      limit: DEPTH,
    })
    const ms = performance.now() - start
    const others = works.slice(0, kept).filter(({ session }) => session !== notSession)
    using plain = openPlainBm25(
      others.map(({ id, prompts, files }) => ({ id, text: [...prompts, ...files].join(' ') })),
    )
    const ranked = hits.map(({ id }) => id)
    answers.push({ set: 'checkpoints', question, ranked, plain: plain.search(text, DEPTH), ms })
  }
  return answers
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
  const worked: Answer[] = []
  for (const project of workedProjectsIn(folder)) worked.push(...(await workAnswers(project)))
  if (values.out !== undefined) {
    const lines = [...said, ...worked].map(({ set, question, ranked }) =>
      JSON.stringify({ set, q: question.q, ranked }),
    )
    writeFileSync(resolve(values.out), `${lines.join('\n')}\n`)
  }
  console.log(`recall ${values.split}: ${figuresOf('locomo-turn', said)}; ${figuresOf('checkpoints', worked)}`)
}

if (values.help === true) console.log(HELP)
else {
  const folder = retrievalFolder(resolve(values.data), values.split)
  if (folder === undefined)
    console.log(`There is no retrieval data for "${values.split}" in ${values.data}; nothing was ranked.`)
  else await score(folder)
  if (Number(values.items) > 0) await timeQueries(Number(values.items), embeddings)
}
