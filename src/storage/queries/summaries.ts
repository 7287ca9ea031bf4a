import type { SessionSummary } from '../../core/agent-door.ts'
import type { DoorStore } from '../../core/agent-door/ports.ts'
import { canonicalJson, readStrings, readTexts } from '../body.ts'
import type { Engine } from '../engine.ts'
import type { SummaryRow } from '../schema.ts'

function summaryOf(row: SummaryRow): SessionSummary {
  return {
    id: row.id,
    projectId: row.project_id,
    worktree: row.worktree,
    ...(row.session_label !== null && { sessionLabel: row.session_label }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    summary: row.summary,
    filesChanged: readStrings(row.files_changed),
    entitiesRegistered: readStrings(row.entities_registered),
    checklistProgress: readTexts(row.checklist_progress),
    savedAt: row.saved_at,
  }
}

export function summaryQueries(
  engine: Engine,
): Pick<DoorStore, 'keepSummary' | 'listSummaries' | 'keepPhase' | 'findPhase'> {
  return {
    keepSummary: (summary) =>
      engine.write(async (db) => {
        await db
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
          .execute()
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
        return rows.map(summaryOf)
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
        const row = await db
          .selectFrom('session_phases')
          .select('phase')
          .where('session_label', '=', sessionLabel)
          .executeTakeFirst()
        return row?.phase
      }),
  }
}
