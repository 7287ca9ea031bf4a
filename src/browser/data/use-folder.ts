import { get } from './call.ts'
import type { LabelledSession, ProjectRow } from './contract.ts'
import { useQuery, type Query } from './use-query.ts'

const LOOKED_AT = 50

interface Folder {
  /** Undefined: no project has been seen. */
  readonly folder: string | undefined
  readonly projects: readonly ProjectRow[]
}

/** The folder of a page that is about one: the chosen one, else that of the latest session of this machine. */
export async function readFolder(cwd: string | undefined, signal: AbortSignal): Promise<Folder> {
  const input = { limit: LOOKED_AT }
  const [{ projects }, { sessions }] = await Promise.all([
    get<{ projects: readonly ProjectRow[] }>('/api/projects', {}, signal),
    get<{ sessions: readonly LabelledSession[] }>('/api/sessions', input, signal),
  ])
  // The folder of an imported session is one of another machine.
  const here = sessions.find(({ origin, place }) => origin === undefined && place !== undefined)
  return { folder: cwd ?? here?.place?.worktree ?? projects[0]?.worktrees[0], projects }
}

export const useFolder = (cwd: string | undefined): Query<Folder> =>
  useQuery((signal) => readFolder(cwd, signal), [cwd])
