import type { Intent } from '../../kernel/agent-records.ts'
import type { DoorStore } from '../../kernel/ports/agent-store.ts'
import { canonicalJson } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { IntentRow } from '../rows/schema.ts'
import { soundRows, stringsOf } from '../rows/row-integrity.ts'

function intentOf(row: IntentRow): Intent {
  return {
    id: row.id,
    projectId: row.project_id,
    worktree: row.worktree,
    sessionLabel: row.session_label,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    intent: row.intent,
    files: stringsOf(row.files),
    startedAt: row.started_at,
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
    ...(row.outcome !== null && { outcome: row.outcome }),
  }
}

export function intentQueries(engine: Engine): Pick<DoorStore, 'keepIntent' | 'completeIntents' | 'listIntents'> {
  return {
    keepIntent: (intent) =>
      engine.write(async (db) => {
        await db
          .insertInto('session_intents')
          .values({
            id: intent.id,
            project_id: intent.projectId,
            worktree: intent.worktree,
            session_label: intent.sessionLabel,
            session_id: intent.sessionId ?? null,
            intent: intent.intent,
            files: canonicalJson(intent.files),
            started_at: intent.startedAt,
            completed_at: intent.completedAt ?? null,
            outcome: intent.outcome ?? null,
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute()
      }),
    completeIntents: ({ projectId, sessionLabel, completedAt, outcome }) =>
      engine.write(async (db) => {
        const completed = await db
          .updateTable('session_intents')
          .set({ completed_at: completedAt, outcome: outcome ?? null })
          .where('project_id', '=', projectId)
          .where('session_label', '=', sessionLabel)
          .where('completed_at', 'is', null)
          .returning('id')
          .execute()
        return completed.length
      }),
    listIntents: ({ projectId, sessionLabel, isOpen, limit }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('session_intents').selectAll().where('project_id', '=', projectId)
        if (sessionLabel !== undefined) select = select.where('session_label', '=', sessionLabel)
        if (isOpen !== undefined) select = select.where('completed_at', isOpen ? 'is' : 'is not', null)
        const rows = await select.orderBy('seq', 'desc').limit(limit).execute()
        return soundRows(db, 'session_intents', rows).map(intentOf)
      }),
  }
}
