import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ProjectId } from '../../../kernel/id.ts'
import {
  type MemoryHit,
  type Memory,
  MEMORY_SCOPES,
  type MemoryScope,
  TASK_CHECKPOINT_TAG,
  TASK_SOURCE,
  TASK_TAG_PREFIX,
} from '../../../kernel/memory.ts'
import type { MemorySearch } from '../../../kernel/ports/ports.ts'
import { rankItems } from '../../../memory/recall/rank.ts'
import { MEMORY_WEIGHTS } from '../../../memory/recall/recall-weights.ts'
import { extractTerms } from '../../../kernel/text/terms.ts'
import { findPaths } from '../../../kernel/paths/paths.ts'
import type { Engine } from '../../rows/sql-engine.ts'
import type { MemoryRow, Tables } from '../../rows/schema.ts'
import { intactRows, parseAnchors, parseEvidence, parseStrings } from '../../rows/row-integrity.ts'
import { listReach } from '../rows/reach.ts'
import { joinConditions, findCandidates } from './candidates.ts'
import type { RecentMemories } from './recent-memories.ts'
import { arrangeRows, readTime } from './search-by-time.ts'

/** Another text in the column is damage; the row then belongs to its project only. */
function isScope(value: string | null): value is MemoryScope {
  return value !== null && MEMORY_SCOPES.some((scope) => scope === value)
}

export function toMemory(row: MemoryRow): Memory {
  const evidence = parseEvidence(row.evidence)
  const anchors = parseAnchors(row.anchors)
  return {
    id: row.id,
    projectId: row.project_id,
    ...(isScope(row.scope) && { scope: row.scope }),
    ...(row.principal !== null &&
      row.machine !== null && {
        origin: { principal: row.principal, machine: { id: row.machine, name: row.machine_name ?? '' } },
      }),
    type: row.type,
    content: row.content,
    importance: row.importance,
    tags: parseStrings(row.tags),
    source: row.source,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    createdAt: row.created_at,
    ...(row.supersedes !== null && { supersedes: row.supersedes }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    hits: row.hits,
    ...(row.last_hit_at !== null && { lastHitAt: row.last_hit_at }),
    ...(evidence !== undefined && { evidence }),
    ...(anchors !== undefined && { anchors }),
  }
}

/** For this many of the best matches, neighbouring memories are candidates too. */
const WITH_NEIGHBOURS = 20
const MAX_FILES = 8

/** Where nothing matches, this many of those that are at least this close in meaning are an answer: it has no relevance. */
const MAX_GUESSES = 3
const MIN_GUESSED = 0.25

/** Extra rows to replace damaged ones. */
const SPARE = 5

/** The search terms of a memory: its words and those of its tags' JSON. */
export function toSearchTerms(content: string, tags: string): readonly string[] {
  return extractTerms(`${content} ${tags}`)
}

/** Whether it can be ranked; whether the row is intact is checked later. */
function isReadable({ content, tags, importance, hits }: MemoryRow): boolean {
  return [content, tags].every((text) => typeof text === 'string') && Number.isFinite(importance + hits)
}

/** No scope is stored for one of the project. */
export const ofScope = (scope: MemoryScope) => sql<boolean>`coalesce(memories.scope, 'project') = ${scope}`

function toConditions(
  { types, scope, notSession, includeSuperseded = false }: MemorySearch,
  reach: readonly ProjectId[] | undefined,
) {
  return joinConditions([
    includeSuperseded ? sql`1 = 1` : sql`memories.superseded_by is null`,
    ...(reach === undefined ? [] : [sql`memories.project_id in (${sql.join(reach)})`]),
    ...(types === undefined ? [] : [sql`memories.type in (${sql.join(types)})`]),
    ...(scope === undefined ? [] : [ofScope(scope)]),
    ...(notSession === undefined ? [] : [sql`(memories.session_id is null or memories.session_id <> ${notSession})`]),
  ])
}

/** Memories stored just before or after the best matches, in the same session. */
async function findNeighbours(
  db: Kysely<Tables>,
  rows: readonly MemoryRow[],
  where: RawBuilder<unknown>,
): Promise<readonly MemoryRow[]> {
  const near = rows.slice(0, WITH_NEIGHBOURS).filter(({ session_id }) => session_id !== null)
  if (near.length === 0) return []
  const known = new Set(rows.map(({ row_id }) => row_id))
  const places = near.flatMap(({ row_id }) =>
    MEMORY_WEIGHTS.neighbours.flatMap((_, at) => [row_id - at - 1, row_id + at + 1]),
  )
  const missing = [...new Set(places)].filter((place) => !known.has(place))
  if (missing.length === 0) return []
  const sessions = new Set(near.map(({ session_id }) => session_id))
  const { rows: beside } = await sql<MemoryRow>`
    select * from memories where row_id in (${sql.join(missing)}) and ${where}`.execute(db)
  return beside.filter(({ session_id }) => sessions.has(session_id))
}

/** A task mirrors each of its checkpoints: only the best of each task, after everything else. */
function tasksLast(rows: readonly MemoryRow[]): readonly MemoryRow[] {
  const byTask = new Map<string, MemoryRow>()
  for (const row of rows.filter(({ source }) => source === TASK_SOURCE)) {
    const task = parseStrings(row.tags).find((tag) => tag.startsWith(TASK_TAG_PREFIX)) ?? row.id
    if (!byTask.has(task)) byTask.set(task, row)
  }
  return [...rows.filter(({ source }) => source !== TASK_SOURCE), ...byTask.values()]
}

/** The memory that describes a task, if its slug is all that is asked for. */
function findTaskRow(rows: readonly MemoryRow[], text: string): readonly MemoryRow[] {
  const tag = `${TASK_TAG_PREFIX}${text.trim().replaceAll('-', '_')}`
  return rows
    .filter(({ source, tags }) => source === TASK_SOURCE && parseStrings(tags).includes(tag))
    .filter(({ tags }) => !parseStrings(tags).includes(TASK_CHECKPOINT_TAG))
    .slice(0, 1)
}

interface SearchParts extends Pick<Engine, 'memoryIndex' | 'embeddings'> {
  readonly recent: RecentMemories
}

async function readRows(
  db: Kysely<Tables>,
  rowIds: readonly number[],
  where: RawBuilder<unknown>,
): Promise<readonly MemoryRow[]> {
  if (rowIds.length === 0) return []
  const { rows } = await sql<MemoryRow>`
    select * from memories where row_id in (${sql.join(rowIds)}) and ${where}`.execute(db)
  return rows
}

export async function searchMemories(
  db: Kysely<Tables>,
  parts: SearchParts,
  query: MemorySearch,
): Promise<readonly MemoryHit[]> {
  if (query.types?.length === 0) return []
  const { memoryIndex: index, embeddings, recent } = parts
  const { isLiteral = false } = query
  const reach = query.projectId === undefined ? undefined : await listReach(db, query.projectId)
  const where = toConditions(query, reach)
  const time = isLiteral
    ? { text: query.text, words: '' }
    : await readTime(query, (event) => searchMemories(db, parts, event))
  const { question, rows } = await findCandidates(
    { db, index, items: 'memories' },
    { text: time.text, where, isLiteral, hints: time.words },
    embeddings,
  )
  const known = new Set(rows.map(({ row_id }) => row_id))
  const others =
    isLiteral || reach === undefined
      ? []
      : await recent.find(db, {
          reach,
          terms: question.terms,
          ...(time.window !== undefined && { window: time.window }),
        })
  const meant = await readRows(
    db,
    others.filter((rowId) => !known.has(rowId)),
    where,
  )
  const beside = isLiteral ? [] : await findNeighbours(db, [...rows, ...meant], where)
  const candidates = [...rows, ...meant, ...beside]
    .filter(isReadable)
    .filter(({ id }) => id !== time.eventId)
    .toSorted((a, b) => b.row_id - a.row_id)
    .map((row) => ({
      row,
      importance: row.importance,
      hits: row.hits,
      session: row.session_id ?? undefined,
      place: row.row_id,
      terms: toSearchTerms(row.content, row.tags),
      files: question.files?.length === 0 ? [] : findPaths(row.content, MAX_FILES),
      isSuperseded: row.superseded_by !== null,
    }))
  const ranked = rankItems(question, candidates, {
    weights: MEMORY_WEIGHTS,
    embeddings: isLiteral ? undefined : embeddings,
  })
  const related = arrangeRows(ranked, isLiteral ? undefined : time)
  const guesses = ranked.filter(({ similarity }) => similarity >= MIN_GUESSED).slice(0, MAX_GUESSES)
  const arranged =
    related.length > 0 || isLiteral || time.window !== undefined
      ? related
      : arrangeRows(
          guesses.map((item) => ({ ...item, isRelated: true })),
          undefined,
        )
  const found = arranged.map(({ row }) => row)
  const scores = new Map(arranged.map((item) => [item.row.row_id, item]))
  const own = findTaskRow(found, query.text)
  const ordered = query.includeTasks === true ? found : tasksLast(found)
  const best = [...own, ...ordered.filter((row) => !own.includes(row))]
  // Checking every column of a row costs more than ranking it: only for rows that are returned.
  return intactRows(db, 'memories', best.slice(0, query.limit + SPARE))
    .slice(0, query.limit)
    .map((row) => {
      const { score = 0, coverage = 0, relevance = 0 } = scores.get(row.row_id) ?? {}
      return { memory: toMemory(row), score, coverage, relevance }
    })
}
