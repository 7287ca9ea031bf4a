import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Corpus } from '../../../memory/recall/rank.ts'
import type { Embeddings } from '../../../memory/recall/embeddings.ts'
import { parseQuestion } from '../../../memory/recall/question.ts'
import type { RecallQuestion } from '../../../memory/recall/rank.ts'
import type { TermIndex } from '../../rows/sql-engine.ts'
import type { Tables } from '../../rows/schema.ts'

/** How many of the database's best matches are ranked by our own rule. */
const CANDIDATES = 120
/** A term in more rows than this is too common to be worth reading them. */
const COUNTED_TO = 500
/** Scoring a row takes the database microseconds: this many take milliseconds. */
const MATCHED_ROWS = 600
/** A table this small is scored completely. */
const SMALL = 3_000
/** With fewer results than this, words of similar meaning are searched for too. */
const TOO_FEW = 3
const RELATED_PER_TERM = 5
const MIN_SIMILARITY = 0.6
const RELATED_WEIGHT = 0.4
const HINT_WEIGHT = 0.3

export interface CandidateQuery {
  readonly text: string
  readonly where: RawBuilder<unknown>
  /** Only rows with a queried term, however few. */
  readonly isLiteral?: boolean
  /** Words that a row may have and need not, such as those of time. */
  readonly hints?: string
}

export interface Candidates<Row> {
  readonly question: RecallQuestion
  /** The likelier ones first, by the database's score. */
  readonly rows: readonly Row[]
}

interface CandidateSource<Row> {
  readonly db: Kysely<Tables>
  readonly index: TermIndex<Row>
  readonly items: 'memories' | 'work_items' | 'archive_items'
}

async function measureCorpus<Row>(
  { db, index, items }: CandidateSource<Row>,
  terms: readonly string[],
): Promise<Corpus> {
  const last = await db
    .selectFrom(items)
    .select(({ fn }) => fn.max('row_id').as('row_id'))
    .executeTakeFirst()
  // Too high when rows were deleted, which makes every term slightly rarer.
  const size = last?.row_id ?? 0
  if (size === 0) return { size, having: new Map() }
  const counts = await index.frequencies(db, terms, COUNTED_TO)
  const toMany = (count: number) => (count < COUNTED_TO ? count : Math.max(COUNTED_TO, size / 4))
  return { size, having: new Map(terms.map((term, at) => [term, toMany(counts[at] ?? 0)])) }
}

/** The rarest terms first, while they are cheap: rows with only common words of a long query do not matter. */
function affordable(terms: readonly string[], { size, having }: Corpus): readonly string[] {
  if (size <= SMALL) return terms
  const rarestFirst = terms
    .filter((term) => (having.get(term) ?? 0) > 0)
    .toSorted((a, b) => (having.get(a) ?? 0) - (having.get(b) ?? 0))
  let rows = 0
  return rarestFirst.filter((term) => (rows += having.get(term) ?? 0) <= MATCHED_ROWS)
}

async function matching<Row>(
  { db, index }: CandidateSource<Row>,
  { terms, corpus, where }: { terms: readonly string[]; corpus: Corpus; where: RawBuilder<unknown> },
): Promise<readonly Row[]> {
  const known = terms.filter((term) => (corpus.having.get(term) ?? 0) > 0)
  if (known.length === 0) return []
  const asked = affordable(known, corpus)
  if (asked.length > 0) return await index.match(db, { terms: asked, where, order: 'likely', limit: CANDIDATES })
  // Every term is too common: the newest rows that have one are as good as any, and reading stops at the limit.
  return await index.match(db, { terms: known, where, order: 'newest', limit: CANDIDATES })
}

function relatedTo(terms: readonly string[], embeddings: Embeddings): ReadonlyMap<string, number> {
  const related = new Map<string, number>()
  for (const asked of terms) {
    for (const { term, similarity } of embeddings.related(asked, RELATED_PER_TERM)) {
      if (similarity < MIN_SIMILARITY || terms.includes(term)) continue
      related.set(term, Math.max(related.get(term) ?? 0, similarity * RELATED_WEIGHT))
    }
  }
  return related
}

/** Full-text matches for a query and, if there are too few, matches for words of similar meaning. */
export async function findCandidates<Row extends { readonly row_id: number }>(
  source: CandidateSource<Row>,
  { text, where, isLiteral = false, hints = '' }: CandidateQuery,
  embeddings: Embeddings,
): Promise<Candidates<Row>> {
  const parsed = parseQuestion(text, { isOfStatements: source.items === 'memories' && !isLiteral })
  const hinted = parseQuestion(hints).terms.filter((term) => !parsed.terms.includes(term))
  const question = {
    ...parsed,
    related: new Map([...hinted.map((term) => [term, HINT_WEIGHT] as const), ...parsed.related]),
  }
  if (question.terms.length === 0) return { question, rows: [] }
  const terms = [...question.terms, ...question.related.keys()]
  const corpus = await measureCorpus(source, terms)
  const rows = await matching(source, { terms, corpus, where })
  if (isLiteral || rows.length >= TOO_FEW) return { question: { ...question, corpus }, rows }
  const related = relatedTo(question.terms, embeddings)
  if (related.size === 0) return { question: { ...question, corpus }, rows }
  const found = new Set(rows.map(({ row_id }) => row_id))
  const wider = await measureCorpus(source, [...related.keys()])
  const more = await matching(source, { terms: [...related.keys()], corpus: wider, where })
  return {
    question: {
      ...question,
      related: new Map([...related, ...question.related]),
      corpus: { size: corpus.size, having: new Map([...wider.having, ...corpus.having]) },
    },
    rows: [...rows, ...more.filter(({ row_id }) => !found.has(row_id))],
  }
}

export function joinConditions(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `)
}
