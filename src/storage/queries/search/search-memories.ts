import { type Kysely, sql } from 'kysely'
import type { MemoryHit } from '../../../kernel/memory.ts'
import type { MemorySearch } from '../../../kernel/ports/ports.ts'
import { rankItems } from '../../../memory/recall/rank.ts'
import { SAID } from '../../../memory/recall/recall-weights.ts'
import { termsOf } from '../../../kernel/text/terms.ts'
import { pathsIn } from '../../../kernel/paths/paths.ts'
import type { Engine } from '../../rows/sql-engine.ts'
import type { MemoryRow, Tables } from '../../rows/schema.ts'
import { soundRows } from '../../rows/row-integrity.ts'
import { allOf, findCandidates } from './candidates.ts'
import { memoryOf } from '../rows/memory-row.ts'

/** Of so many of the likeliest, what was said next to them is looked at too. */
const WITH_NEIGHBOURS = 20
const MAX_FILES = 8

/** Found, and then seen to be damaged: others come in their place. */
const SPARE = 5

/** What a memory can be found by: its words and those of its tags, whose JSON has no others. */
export function searchTermsOf(content: string, tags: string): readonly string[] {
  return termsOf(`${content} ${tags}`)
}

/** Whether it can be ranked; whether it can be told is looked at later. */
function isReadable({ content, tags, importance, hits }: MemoryRow): boolean {
  return [content, tags].every((text) => typeof text === 'string') && Number.isFinite(importance + hits)
}

function conditionsOf({ projectId, types, notSession, includeSuperseded = false }: MemorySearch) {
  return allOf([
    sql`memories.project_id = ${projectId}`,
    ...(includeSuperseded ? [] : [sql`memories.superseded_by is null`]),
    ...(types === undefined ? [] : [sql`memories.type in (${sql.join(types)})`]),
    ...(notSession === undefined ? [] : [sql`(memories.session_id is null or memories.session_id <> ${notSession})`]),
  ])
}

/** Memories said just before or after the likeliest ones, in the same session. */
async function neighboursOf(
  db: Kysely<Tables>,
  rows: readonly MemoryRow[],
  query: MemorySearch,
): Promise<readonly MemoryRow[]> {
  const near = rows.slice(0, WITH_NEIGHBOURS).filter(({ session_id }) => session_id !== null)
  if (near.length === 0) return []
  const known = new Set(rows.map(({ row_id }) => row_id))
  const places = near.flatMap(({ row_id }) => SAID.neighbours.flatMap((_, at) => [row_id - at - 1, row_id + at + 1]))
  const missing = [...new Set(places)].filter((place) => !known.has(place))
  if (missing.length === 0) return []
  const sessions = new Set(near.map(({ session_id }) => session_id))
  const { rows: beside } = await sql<MemoryRow>`
    select * from memories where row_id in (${sql.join(missing)}) and ${conditionsOf(query)}`.execute(db)
  return beside.filter(({ session_id }) => sessions.has(session_id))
}

export async function searchMemories(
  db: Kysely<Tables>,
  { memoryIndex: index, embeddings }: Pick<Engine, 'memoryIndex' | 'embeddings'>,
  query: MemorySearch,
): Promise<readonly MemoryHit[]> {
  if (query.types?.length === 0) return []
  const { isLiteral = false } = query
  const where = conditionsOf(query)
  const { question, rows } = await findCandidates(
    { db, index, items: 'memories' },
    { text: query.text, where, isLiteral },
    embeddings,
  )
  const beside = isLiteral ? [] : await neighboursOf(db, rows, query)
  const candidates = [...rows, ...beside]
    .filter(isReadable)
    .toSorted((a, b) => b.row_id - a.row_id)
    .map((row) => ({
      row,
      importance: row.importance,
      hits: row.hits,
      session: row.session_id ?? undefined,
      place: row.row_id,
      terms: searchTermsOf(row.content, row.tags),
      files: question.files?.length === 0 ? [] : pathsIn(row.content, MAX_FILES),
      isSuperseded: row.superseded_by !== null,
    }))
  const ranked = rankItems(question, candidates, { weights: SAID, embeddings: isLiteral ? undefined : embeddings })
  const scores = new Map(ranked.map((found) => [found.item.row.row_id, found]))
  const related = ranked.filter(({ isRelated }) => isRelated).map(({ item }) => item.row)
  // Looking at every column of a row costs more than ranking it: only those that are answered with.
  return soundRows(db, 'memories', related.slice(0, query.limit + SPARE))
    .slice(0, query.limit)
    .map((row) => {
      const { score = 0, coverage = 0 } = scores.get(row.row_id) ?? {}
      return { memory: memoryOf(row), score, coverage }
    })
}
