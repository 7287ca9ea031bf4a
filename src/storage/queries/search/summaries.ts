import type { Kysely } from 'kysely'
import type { SessionSummary } from '../../../kernel/agent-records.ts'
import type { AgentStore } from '../../../kernel/ports/agent-store.ts'
import type { Engine, TermIndex } from '../../rows/sql-engine.ts'
import type { SummaryRow, Tables, WorkItemRow } from '../../rows/schema.ts'
import { listRepositoryProjects } from '../rows/reach.ts'
import { intactRows, parseStrings, parseTexts, isIntactCheckpoint } from '../../rows/row-integrity.ts'
import { saveSummaryWork, saveCheckpointWork } from './work-items.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'
import { readCheckpoint } from '../../rows/body.ts'
import { inSlices } from '../rows/statements.ts'

export function toSummary(row: SummaryRow): SessionSummary {
  return {
    id: row.id,
    projectId: row.project_id,
    worktree: row.worktree,
    ...(row.session_label !== null && { sessionLabel: row.session_label }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    summary: row.summary,
    filesChanged: parseStrings(row.files_changed),
    entitiesRegistered: parseStrings(row.entities_registered),
    checklistProgress: parseTexts(row.checklist_progress),
    savedAt: row.saved_at,
  }
}

export function summaryQueries(
  engine: Engine,
): Pick<AgentStore, 'saveSummary' | 'listSummaries' | 'savePhase' | 'findPhase'> {
  return {
    saveSummary: (summary) =>
      engine.write(async (db) => {
        const saved = await db
          .insertInto('session_summaries')
          .values({
            id: summary.id,
            project_id: summary.projectId,
            worktree: summary.worktree,
            session_label: summary.sessionLabel ?? null,
            session_id: summary.sessionId ?? null,
            summary: summary.summary,
            files_changed: canonicalJson(summary.filesChanged),
            entities_registered: canonicalJson(summary.entitiesRegistered),
            checklist_progress: canonicalJson(summary.checklistProgress),
            saved_at: summary.savedAt,
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .returning('id')
          .executeTakeFirst()
        if (saved !== undefined) await saveSummaryWork(db, engine.workIndex, summary)
      }),
    listSummaries: ({ projectId, limit, offset = 0 }) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('session_summaries')
          .selectAll()
          .where('project_id', 'in', await listRepositoryProjects(db, projectId))
          .orderBy('seq', 'desc')
          .limit(limit)
          .offset(offset)
          .execute()
        return intactRows(db, 'session_summaries', rows).map(toSummary)
      }),
    savePhase: ({ sessionLabel, phase, at }) =>
      engine.write(async (db) => {
        await db
          .insertInto('session_phases')
          .values({ session_label: sessionLabel, phase, at })
          .onConflict((conflict) => conflict.column('session_label').doUpdateSet({ phase, at }))
          .execute()
      }),
    findPhase: (sessionLabel) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('session_phases')
          .selectAll()
          .where('session_label', '=', sessionLabel)
          .execute()
        return intactRows(db, 'session_phases', rows)[0]?.phase
      }),
  }
}

/** Per table: an upgrade must not keep a session waiting, and older work is not searched for. */
const REINDEXED_ROWS = 5_000

/** Rebuilds the searchable work items from checkpoints and summaries, oldest first. */
export async function reindexWork(db: Kysely<Tables>, index: TermIndex<WorkItemRow>): Promise<void> {
  const newest = await db
    .selectFrom('session_checkpoints')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .groupBy(['session_id', 'name'])
    .orderBy('seq', 'desc')
    .limit(REINDEXED_ROWS)
    .execute()
  const seqs = newest.map(({ seq }) => seq).toReversed()
  const rows = await inSlices(seqs, (slice) =>
    db.selectFrom('session_checkpoints').select(['hash', 'body']).where('seq', 'in', slice).orderBy('seq').execute(),
  )
  for (const row of rows) if (isIntactCheckpoint(row)) await saveCheckpointWork(db, index, readCheckpoint(row.body))
  const summaries = await db
    .selectFrom('session_summaries')
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(REINDEXED_ROWS)
    .execute()
  for (const row of intactRows(db, 'session_summaries', summaries.toReversed())) {
    await saveSummaryWork(db, index, toSummary(row))
  }
}
