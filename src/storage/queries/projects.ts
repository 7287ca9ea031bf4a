import type { DoorStore } from '../../kernel/ports/agent-store.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { locationQueries } from './locations.ts'
import { soundRows } from '../rows/row-integrity.ts'

/** Projects by their names, and by where they are. */
export function projectQueries(
  engine: Engine,
): Pick<DoorStore, 'keepProject' | 'keepKeyword' | 'listProjects'> & ReturnType<typeof locationQueries> {
  return {
    ...locationQueries(engine),
    keepProject: ({ name, rootPath, projectId, addedAt }) =>
      engine.write(async (db) => {
        const place = { root_path: rootPath, project_id: projectId }
        await db
          .insertInto('projects')
          .values({ name, ...place, added_at: addedAt })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(place))
          .execute()
      }),
    keepKeyword: (project, keyword) =>
      engine.write(async (db) => {
        await db
          .insertInto('project_keywords')
          .values({ project, keyword })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }),
    listProjects: () =>
      engine.read(async (db) => {
        const projects = await db.selectFrom('projects').selectAll().orderBy('name').execute()
        const words = await db.selectFrom('project_keywords').selectAll().orderBy('keyword').execute()
        const keywords = soundRows(db, 'project_keywords', words)
        return soundRows(db, 'projects', projects).map((row) => ({
          name: row.name,
          rootPath: row.root_path,
          projectId: row.project_id,
          keywords: keywords.flatMap(({ project, keyword }) => (project === row.name ? [keyword] : [])),
          addedAt: row.added_at,
        }))
      }),
  }
}
