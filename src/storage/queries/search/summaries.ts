import type { SessionSummary } from '../../../kernel/agent-records.ts'
import type { DoorStore } from '../../../kernel/ports/agent-store.ts'
import { canonicalJson } from '../../rows/body.ts'
import type { Engine } from '../../rows/sql-engine.ts'
import type { SummaryRow } from '../../rows/schema.ts'
import { soundRows, stringsOf, textsOf } from '../../rows/row-integrity.ts'
import { keepSummaryWork } from './work-items.ts'

export function summaryOf(row: SummaryRow): SessionSummary {
  return {
    id: row.id,
    projectId: row.project_id,
    worktree: row.worktree,
    ...(row.session_label !== null && { sessionLabel: row.session_label }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    summary: row.summary,
    filesChanged: stringsOf(row.files_changed),
    entitiesRegistered: stringsOf(row.entities_registered),
    checklistProgress: textsOf(row.checklist_progress),
    savedAt: row.saved_at,
  }
}

export function summaryQueries(
  engine: Engine,
): Pick<DoorStore, 'keepSummary' | 'listSummaries' | 'keepPhase' | 'findPhase'> {
  return {
    keepSummary: (summary) =>
      engine.write(async (db) => {
        const kept = await db
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
        if (kept !== undefined) await keepSummaryWork(db, engine.workIndex, summary)
      }),
    listSummaries: ({ projectId, limit }) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('session_summaries')
          .selectAll()
          .where('project_id', '=', projectId)
          .orderBy('seq', 'desc')
          .limit(limit)
          .execute()
        return soundRows(db, 'session_summaries', rows).map(summaryOf)
      }),
    keepPhase: ({ sessionLabel, phase, at }) =>
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
        return soundRows(db, 'session_phases', rows)[0]?.phase
      }),
  }
}
