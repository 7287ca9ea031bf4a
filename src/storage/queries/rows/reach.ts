import { type Kysely, sql } from 'kysely'
import { ME_PROJECT, type ProjectId } from '../../../kernel/id.ts'
import type { Tables } from '../../rows/schema.ts'

/**
 * The projects of one repository: this one, then those with the same naming remote, or none, and the same root commit. A
 * root commit is stored only once it was read from the repository's own objects, so a remote alone gives access to nothing.
 */
export async function listRepositoryProjects(
  db: Kysely<Tables>,
  projectId: ProjectId,
): Promise<readonly [ProjectId, ...ProjectId[]]> {
  const { rows } = await sql<{ project_id: ProjectId }>`
    select distinct other.project_id as project_id from project_locations as mine
    join project_locations as other on other.root_commit = mine.root_commit
    where mine.project_id = ${projectId} and coalesce(other.remote, '') = coalesce(mine.remote, '')`.execute(db)
  return [projectId, ...rows.map(({ project_id }) => project_id).filter((id) => id !== projectId)]
}

/** The ids under which memories of a project are stored: those of its repository, and the user's, known in every project. */
export async function listReach(
  db: Kysely<Tables>,
  projectId: ProjectId,
): Promise<readonly [ProjectId, ...ProjectId[]]> {
  return [...(await listRepositoryProjects(db, projectId)), ME_PROJECT]
}
