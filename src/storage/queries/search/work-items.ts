import { listRepositoryProjects } from '../rows/reach.ts'
import { type Kysely, sql } from 'kysely'
import type { SessionSummary } from '../../../kernel/agent-records.ts'
import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import type { WorkHit, WorkSearch } from '../../../kernel/ports/ports.ts'
import { rankWork } from '../../../memory/recall/rank.ts'
import { createSummaryItem, createCheckpointItems, getWorkKey } from '../../../memory/recall/work-items.ts'
import type { WorkItem } from '../../../kernel/memory.ts'
import { extractTerms } from '../../../kernel/text/terms.ts'
import type { Engine, TermIndex } from '../../rows/sql-engine.ts'
import type { Tables, WorkItemRow } from '../../rows/schema.ts'
import { intactRows, parseStrings } from '../../rows/row-integrity.ts'
import { joinConditions, findCandidates } from './candidates.ts'
import { inSlices } from '../rows/statements.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'

/** Searches are mostly about current work: this many of the newest items are always candidates. */
const NEWEST = 120
/** Per text; the rest of a long one mostly repeats. */
const MAX_TERMS = 600

/** The search terms of an item's text. */
export function toWorkTerms(text: string): readonly string[] {
  return extractTerms(text).slice(0, MAX_TERMS)
}

/** What the index has of an item: also the words of its files, which `work_items.terms` leaves out. */
export function toIndexedTerms(terms: readonly string[], files: readonly string[]): readonly string[] {
  return [...terms, ...extractTerms(files.join(' '))]
}

export type WorkItemIndex = TermIndex<WorkItemRow>

async function add(
  db: Kysely<Tables>,
  index: WorkItemIndex,
  { key, item }: { key: string; item: WorkItem },
): Promise<void> {
  const terms = toWorkTerms(item.text)
  const { row_id } = await db
    .insertInto('work_items')
    .values({
      project_id: item.projectId,
      kind: item.kind,
      item_id: item.id,
      work_key: key,
      session_id: item.sessionId ?? null,
      title: item.title,
      text: item.text,
      terms: terms.join(' '),
      files: canonicalJson(item.files),
      at: item.at,
    })
    .returning('row_id')
    .executeTakeFirstOrThrow()
  await index.add(db, row_id, toIndexedTerms(terms, item.files))
}

async function removeRows(db: Kysely<Tables>, index: WorkItemIndex, rowIds: readonly number[]): Promise<void> {
  for (const rowId of rowIds) await index.remove(db, rowId)
  await inSlices(rowIds, async (slice) => {
    await db.deleteFrom('work_items').where('row_id', 'in', slice).execute()
    return []
  })
}

/** The newest checkpoint of a session, or of a name in it, replaces the previous one. */
export async function saveCheckpointWork(
  db: Kysely<Tables>,
  index: WorkItemIndex,
  checkpoint: Checkpoint,
): Promise<void> {
  const key = getWorkKey(checkpoint)
  const old = await db.selectFrom('work_items').select('row_id').where('work_key', '=', key).execute()
  await removeRows(
    db,
    index,
    old.map(({ row_id }) => row_id),
  )
  for (const item of createCheckpointItems(checkpoint)) await add(db, index, { key, item })
}

export async function saveSummaryWork(
  db: Kysely<Tables>,
  index: WorkItemIndex,
  summary: SessionSummary,
): Promise<void> {
  await add(db, index, { key: summary.id, item: createSummaryItem(summary) })
}

/** Removes the work items of checkpoints that are about to be pruned. */
export async function deleteCheckpointWork(
  db: Kysely<Tables>,
  index: WorkItemIndex,
  checkpointSeqs: readonly number[],
): Promise<void> {
  const rows = await inSlices(checkpointSeqs, (slice) =>
    db
      .selectFrom('work_items')
      .select('row_id')
      .where('item_id', 'in', (select) =>
        select.selectFrom('session_checkpoints').select('id').where('seq', 'in', slice),
      )
      .execute(),
  )
  await removeRows(
    db,
    index,
    rows.map(({ row_id }) => row_id),
  )
}

export async function searchWork(
  db: Kysely<Tables>,
  { workIndex: index, embeddings }: Pick<Engine, 'workIndex' | 'embeddings'>,
  { projectId, text, notSession, limit }: WorkSearch,
): Promise<readonly WorkHit[]> {
  const where = joinConditions([
    projectId === undefined
      ? sql`1 = 1`
      : sql`work_items.project_id in (${sql.join(await listRepositoryProjects(db, projectId))})`,
    ...(notSession === undefined
      ? []
      : [sql`(work_items.session_id is null or work_items.session_id <> ${notSession})`]),
  ])
  const { question, rows } = await findCandidates({ db, index, items: 'work_items' }, { text, where }, embeddings)
  if (rows.length === 0) return []
  const { rows: newest } = await sql<WorkItemRow>`
    select * from work_items where ${where} order by row_id desc limit ${NEWEST}`.execute(db)
  const byRow = new Map([...rows, ...newest].map((row) => [row.row_id, row]))
  const items = [...byRow.values()]
    .filter((row) => typeof row.terms === 'string' && typeof row.files === 'string')
    .toSorted((a, b) => b.row_id - a.row_id)
    .map((row) => ({ row, terms: row.terms === '' ? [] : row.terms.split(' '), files: parseStrings(row.files) }))
  const ranked = rankWork(question, items).slice(0, limit)
  const isSound = new Set(
    intactRows(
      db,
      'work_items',
      ranked.map(({ item }) => item.row),
    ).map(({ row_id }) => row_id),
  )
  return ranked
    .filter(({ item }) => isSound.has(item.row.row_id))
    .map(({ item: { row, files }, score, coverage }) => ({
      projectId: row.project_id,
      ...(row.session_id !== null && { sessionId: row.session_id }),
      kind: row.kind,
      id: row.item_id,
      title: row.title,
      text: row.text,
      files,
      at: row.at,
      score,
      coverage,
    }))
}
