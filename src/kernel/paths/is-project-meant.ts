import type { ResolvedProject } from '../agent-records.ts'
import { baseName } from './paths.ts'

/** False when the name belongs to no project, and a similar one or the current directory's was chosen instead. */
export function isProjectMeant(project: ResolvedProject, asked: string | undefined): boolean {
  const name = asked?.trim().toLowerCase() ?? ''
  return (
    name === '' ||
    name.startsWith('/') ||
    /^[a-z]:[\\/]/.test(name) ||
    project.matchedBy === 'name' ||
    [project.name, baseName(project.rootPath), baseName(project.worktree)].some((own) => own.toLowerCase() === name) ||
    project.keywords.includes(name)
  )
}
