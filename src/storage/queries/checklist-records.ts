import type { DoorStore } from '../../kernel/ports/agent-store.ts'
import type { KeptItemRecord } from '../../kernel/checklist.ts'
import { canonicalJson } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { ChecklistRecordRow } from '../rows/schema.ts'
import { runOf, soundRows } from '../rows/row-integrity.ts'

/** Of one project: what a list of hundreds of items needs, several times over. */
const KEPT_PER_PROJECT = 2_000

function recordOf(row: ChecklistRecordRow): KeptItemRecord {
  const run = runOf(row.run)
  return {
    id: row.id,
    projectId: row.project_id,
    itemId: row.item_id,
    section: row.section,
    text: row.item_text,
    status: row.status,
    ...(row.note !== null && { note: row.note }),
    by: row.marked_by,
    at: row.at,
    ...(run !== undefined && { run }),
  }
}

export function checklistRecordQueries(
  engine: Engine,
): Pick<DoorStore, 'keepChecklistRecords' | 'listChecklistRecords'> {
  return {
    keepChecklistRecords: (records) =>
      engine.write(async (db) => {
        for (const record of records) {
          await db
            .insertInto('checklist_records')
            .values({
              id: record.id,
              project_id: record.projectId,
              item_id: record.itemId,
              section: record.section,
              item_text: record.text,
              status: record.status,
              note: record.note ?? null,
              marked_by: record.by,
              at: record.at,
              run: record.run === undefined ? null : canonicalJson(record.run),
            })
            .onConflict((conflict) => conflict.column('id').doNothing())
            .execute()
        }
        for (const projectId of new Set(records.map((record) => record.projectId))) {
          const oldest = await db
            .selectFrom('checklist_records')
            .select('seq')
            .where('project_id', '=', projectId)
            .orderBy('seq', 'desc')
            .offset(KEPT_PER_PROJECT)
            .limit(1)
            .executeTakeFirst()
          if (oldest === undefined) continue
          await db
            .deleteFrom('checklist_records')
            .where('project_id', '=', projectId)
            .where('seq', '<=', oldest.seq)
            .execute()
        }
      }),
    listChecklistRecords: ({ projectId, limit }) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('checklist_records')
          .selectAll()
          .where('project_id', '=', projectId)
          .orderBy('seq', 'desc')
          .limit(limit)
          .execute()
        return soundRows(db, 'checklist_records', rows).map(recordOf).toReversed()
      }),
  }
}
