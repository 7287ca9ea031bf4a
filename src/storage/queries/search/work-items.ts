import { type Kysely, sql } from 'kysely'
import type { SessionSummary } from '../../../kernel/agent-records.ts'
import { type Checkpoint } from '../../../kernel/checkpoint.ts'
import type { WorkHit, WorkSearch } from '../../../kernel/ports/ports.ts'
import { rankWork } from '../../../memory/recall/rank-work.ts'
import { itemOfSummary, itemsOfCheckpoint, workKeyOf } from '../../../memory/recall/work-items.ts'
import { type WorkItem } from '../../../kernel/work-item.ts'
import { termsOf } from '../../../kernel/text/terms.ts'
import { canonicalJson } from '../../rows/body.ts'
import type { Engine, TermIndex } from '../../rows/sql-engine.ts'
import type { Tables, WorkItemRow } from '../../rows/schema.ts'
import { soundRows, stringsOf } from '../../rows/row-integrity.ts'
import { allOf, findCandidates } from './candidates.ts'
import { inSlices } from '../rows/slices.ts'

/** Work on what is being worked on is what is asked about: so many of the newest are looked at whatever they say. */
const NEWEST = 120
/** Of one text; the rest of a long one repeats it. */
const MAX_TERMS = 600

type Index = TermIndex<WorkItemRow>

async function add(db: Kysely<Tables>, index: Index, { key, item }: { key: string; item: WorkItem }): Promise<void> {
  const terms = termsOf(item.text).slice(0, MAX_TERMS)
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
  await index.add(db, row_id, [...terms, ...termsOf(item.files.join(' '))])
}

async function removeRows(db: Kysely<Tables>, index: Index, rowIds: readonly number[]): Promise<void> {
  for (const rowId of rowIds) await index.remove(db, rowId)
  await inSlices(rowIds, async (slice) => {
    await db.deleteFrom('work_items').where('row_id', 'in', slice).execute()
    return []
  })
}

/** The newest checkpoint of a session, or of a name in it, takes the place of the one before. */
export async function keepWorkOf(db: Kysely<Tables>, index: Index, checkpoint: Checkpoint): Promise<void> {
  const key = workKeyOf(checkpoint)
  const old = await db.selectFrom('work_items').select('row_id').where('work_key', '=', key).execute()
  await removeRows(
    db,
    index,
    old.map(({ row_id }) => row_id),
  )
  for (const item of itemsOfCheckpoint(checkpoint)) await add(db, index, { key, item })
}

export async function keepSummaryWork(db: Kysely<Tables>, index: Index, summary: SessionSummary): Promise<void> {
  await add(db, index, { key: summary.id, item: itemOfSummary(summary) })
}

/** Forgets what was read from checkpoints that are about to go. */
export async function forgetWorkOf(db: Kysely<Tables>, index: Index, checkpointSeqs: readonly number[]): Promise<void> {
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
  const where = allOf([
    sql`work_items.project_id = ${projectId}`,
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
    .map((row) => ({ row, terms: row.terms === '' ? [] : row.terms.split(' '), files: stringsOf(row.files) }))
  const ranked = rankWork(question, items).slice(0, limit)
  const isSound = new Set(
    soundRows(
      db,
      'work_items',
      ranked.map(({ item }) => item.row),
    ).map(({ row_id }) => row_id),
  )
  return ranked
    .filter(({ item }) => isSound.has(item.row.row_id))
    .map(({ item: { row, files }, score, coverage }) => ({
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
