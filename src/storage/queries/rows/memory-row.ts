import type { Memory } from '../../../kernel/memory.ts'
import type { MemoryRow } from '../../rows/schema.ts'
import { evidenceOf, stringsOf } from '../../rows/row-integrity.ts'

export function memoryOf(row: MemoryRow): Memory {
  const evidence = evidenceOf(row.evidence)
  return {
    id: row.id,
    projectId: row.project_id,
    type: row.type,
    content: row.content,
    importance: row.importance,
    tags: stringsOf(row.tags),
    source: row.source,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    createdAt: row.created_at,
    ...(row.supersedes !== null && { supersedes: row.supersedes }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    hits: row.hits,
    ...(row.last_hit_at !== null && { lastHitAt: row.last_hit_at }),
    ...(evidence !== undefined && { evidence }),
  }
}
