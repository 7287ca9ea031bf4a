import { ME_PROJECT, type ProjectId } from '../../../kernel/id.ts'

/** The ids under which memories of a project are stored: its own, and the user's, which are known in every project. */
export function listReach(projectId: ProjectId): readonly ProjectId[] {
  return [projectId, ME_PROJECT]
}
