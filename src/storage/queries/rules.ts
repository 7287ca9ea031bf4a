import type { Rule } from '../../kernel/rule.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { RuleRow } from '../rows/schema.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { listRepositoryProjects } from './rows/reach.ts'
import { intactRows, parseOrigin } from '../rows/row-integrity.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'

/** Of one project, retired ones included. */
const MAX_PER_PROJECT = 300

export function toRule(row: RuleRow): Rule {
  return {
    id: row.id,
    projectId: row.project_id,
    text: row.text,
    since: row.since,
    state: row.state,
    source: row.source,
    scope: row.scope,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.event_id !== null && { eventId: row.event_id }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    ...(row.retired_at !== null && { retiredAt: row.retired_at }),
    ...(row.origin !== null && { origin: parseOrigin(row.origin) }),
  }
}

export function ruleQueries(engine: Engine): Pick<Store, 'saveRules' | 'listRules'> {
  return {
    saveRules: (rules) =>
      engine.write(async (db) => {
        for (const rule of rules) {
          const changeable = {
            text: rule.text,
            state: rule.state,
            superseded_by: rule.supersededBy ?? null,
            retired_at: rule.retiredAt ?? null,
          }
          await db
            .insertInto('rules')
            .values({
              id: rule.id,
              project_id: rule.projectId,
              since: rule.since,
              source: rule.source,
              scope: rule.scope,
              session_id: rule.sessionId ?? null,
              event_id: rule.eventId ?? null,
              origin: rule.origin === undefined ? null : canonicalJson(rule.origin),
              ...changeable,
            })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(changeable))
            .execute()
        }
        for (const projectId of new Set(rules.map((rule) => rule.projectId))) {
          const beyond = await db
            .selectFrom('rules')
            .select('row_id')
            .where('project_id', '=', projectId)
            .where('state', '=', 'retired')
            .orderBy('row_id', 'desc')
            .offset(MAX_PER_PROJECT)
            .limit(1)
            .executeTakeFirst()
          if (beyond === undefined) continue
          await db
            .deleteFrom('rules')
            .where('project_id', '=', projectId)
            .where('state', '=', 'retired')
            .where('row_id', '<=', beyond.row_id)
            .execute()
        }
      }),
    listRules: ({ projectId, states }) =>
      engine.read(async (db) => {
        const projects = await listRepositoryProjects(db, projectId)
        let select = db.selectFrom('rules').selectAll().where('project_id', 'in', projects)
        if (states !== undefined) select = select.where('state', 'in', states)
        return intactRows(db, 'rules', await select.orderBy('row_id', 'desc').execute()).map(toRule)
      }),
  }
}
