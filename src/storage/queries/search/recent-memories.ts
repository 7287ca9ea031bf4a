import { type Kysely, sql } from 'kysely'
import type { ProjectId } from '../../../kernel/id.ts'
import { BoundedMap } from '../../../kernel/structures/bounded-map.ts'
import type { Embeddings } from '../../../memory/recall/embeddings.ts'
import { isInWindow } from '../../../memory/recall/arrange-by-time.ts'
import { findStatedDates, type TimeSpan } from '../../../memory/recall/stated-dates.ts'
import type { TimeWindow } from '../../../memory/recall/time-words.ts'
import { extractTerms } from '../../../kernel/text/terms.ts'
import type { MemoryRow, Tables } from '../../rows/schema.ts'

/** Of each project. Older ones are found by their words only. */
const MAX_RECENT = 5_000
const MAX_PROJECTS = 8
/** Less similar statements have nothing to do with the question. */
const MIN_SIMILARITY = 0.12
const MAX_CLOSE = 32
const MAX_IN_WINDOW = 60
const SCALE = 127

interface RecentMemory {
  readonly rowId: number
  readonly at: number
  readonly stated: readonly TimeSpan[]
  /** Unit length times `SCALE`. */
  readonly vector: Int8Array | undefined
}

interface RecentProject {
  readonly newestFirst: RecentMemory[]
  lastRowId: number
}

export interface RecentQuestion {
  readonly reach: readonly ProjectId[]
  readonly terms: readonly string[]
  readonly window?: TimeWindow
}

/** Finds memories without their words: by meaning and by time. */
export interface RecentMemories {
  /** Row ids; the rows may have been deleted since. */
  find(db: Kysely<Tables>, question: RecentQuestion): Promise<readonly number[]>
}

/**
 * Vectors and times of the newest memories of the projects that were searched, in memory: 5,000 of a project take half a
 * megabyte and were read in a tenth of a second. A changed memory gets a new row id, so only new rows are read again.
 */
export function createRecentMemories(embeddings: Embeddings): RecentMemories {
  const projects = new BoundedMap<ProjectId, RecentProject>(MAX_PROJECTS)

  function digest({ row_id, content, created_at }: Pick<MemoryRow, 'row_id' | 'content' | 'created_at'>): RecentMemory {
    const at = Date.parse(created_at)
    const vector = embeddings.embed(extractTerms(content))
    return {
      rowId: row_id,
      at,
      stated: findStatedDates(content, at),
      vector: vector && Int8Array.from(vector, (value) => Math.round(value * SCALE)),
    }
  }

  async function readNew(db: Kysely<Tables>, id: ProjectId): Promise<readonly RecentMemory[]> {
    const project = projects.get(id) ?? { newestFirst: [], lastRowId: 0 }
    projects.set(id, project)
    const { rows } = await sql<Pick<MemoryRow, 'row_id' | 'content' | 'created_at'>>`
      select row_id, content, created_at from memories
      where project_id = ${id} and row_id > ${project.lastRowId} and superseded_by is null
      order by row_id desc limit ${MAX_RECENT}`.execute(db)
    const readable = rows.filter(({ content, created_at }) => typeof content === 'string' && Date.parse(created_at) > 0)
    if (readable.length > 0) {
      project.newestFirst.unshift(...readable.map(digest))
      project.newestFirst.splice(MAX_RECENT)
      project.lastRowId = Math.max(...rows.map(({ row_id }) => row_id))
    }
    return project.newestFirst
  }

  function findClose(memories: readonly RecentMemory[], terms: readonly string[]): readonly number[] {
    const asked = embeddings.embed(terms)
    if (asked === undefined) return []
    const limit = MIN_SIMILARITY * SCALE
    const close: { readonly rowId: number; readonly similarity: number }[] = []
    for (const { rowId, vector } of memories) {
      if (vector === undefined) continue
      let similarity = 0
      for (let index = 0; index < vector.length; index++) similarity += (vector[index] ?? 0) * (asked[index] ?? 0)
      if (similarity >= limit) close.push({ rowId, similarity })
    }
    return close
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, MAX_CLOSE)
      .map(({ rowId }) => rowId)
  }

  return {
    async find(db, { reach, terms, window }) {
      const memories: RecentMemory[] = []
      for (const id of reach) memories.push(...(await readNew(db, id)))
      const inside = window === undefined ? [] : memories.filter((memory) => isInWindow(memory, window))
      // Next to the side that the question names: "before the release" asks for what came last before it.
      const isAfter = window?.from !== undefined && window.to === undefined
      const nearest = inside.toSorted((a, b) => (isAfter ? a.at - b.at : b.at - a.at)).slice(0, MAX_IN_WINDOW)
      return [...new Set([...findClose(memories, terms), ...nearest.map(({ rowId }) => rowId)])]
    },
  }
}
