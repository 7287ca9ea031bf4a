import type { AgentDoor, Project, ProjectMatch, ProjectRef, ResolvedProject } from '../agent-door.ts'
import { HoldfastError } from '../errors.ts'
import type { Place } from '../project.ts'
import { baseName, isWithin } from '../work/paths.ts'
import type { AgentDoorDeps } from './deps.ts'
import { matchName, namesOf } from './project-name.ts'

const MAX_NAME_CHARS = 200

type Deps = Pick<AgentDoorDeps, 'store' | 'places' | 'files' | 'realPath' | 'clock'>

export interface Projects
  extends Pick<AgentDoor, 'registerProject' | 'listProjects' | 'addProjectKeyword' | 'resolveProject'> {}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)
}

function checkedName(text: string, what: string): string {
  const name = text.toWellFormed().trim()
  if (name !== '' && name.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(name)) return name
  throw new HoldfastError('invalid-input', `A ${what} has 1 to ${MAX_NAME_CHARS} characters and is one line.`)
}

/** Names, roots and keywords; and the one project that any spelling of it means. */
export function createProjects(deps: Deps): Projects {
  async function resolved(
    project: Project,
    matchedBy: ProjectMatch,
    { rootPath, place }: { rootPath: string; place: Place },
  ): Promise<ResolvedProject> {
    return {
      name: project.name,
      rootPath,
      worktree: place.worktree,
      projectId: project.projectId,
      keywords: project.keywords,
      isRegistered: true,
      isOnDisk: await deps.files.isDirectory(rootPath),
      matchedBy,
    }
  }

  async function byDirectory(path: string, projects: readonly Project[]): Promise<ResolvedProject> {
    const [place, real] = await Promise.all([deps.places.locate(path), deps.realPath(path)])
    const above = projects
      .filter((project) => isWithin(real, project.rootPath))
      .toSorted((a, b) => b.rootPath.length - a.rootPath.length)[0]
    if (above !== undefined) return resolved(above, 'path', { rootPath: above.rootPath, place })
    // Another checkout of a registered repository: its knowledge, this checkout's files.
    const sibling = projects.find((project) => project.projectId === place.projectId)
    if (sibling !== undefined) return resolved(sibling, 'path', { rootPath: place.worktree, place })
    const name = baseName(place.worktree) || place.worktree
    const namesake = projects.find((project) => project.name === name)
    // A folder of that name speaks for the project only when the registered one is gone: then it has moved here.
    if (namesake !== undefined && !(await deps.files.isDirectory(namesake.rootPath)))
      return resolved(namesake, 'folder-name', { rootPath: place.worktree, place })
    return {
      name,
      rootPath: place.worktree,
      worktree: place.worktree,
      projectId: place.projectId,
      keywords: [],
      isRegistered: false,
      isOnDisk: await deps.files.isDirectory(place.worktree),
      matchedBy: 'directory',
    }
  }

  async function byName(project: Project, matchedBy: ProjectMatch, cwd: string | undefined): Promise<ResolvedProject> {
    const here = cwd === undefined ? undefined : await deps.places.locate(cwd)
    const place = await deps.places.locate(project.rootPath)
    const isOtherCheckout = here?.projectId === project.projectId && here.worktree !== place.worktree
    return resolved(
      project,
      matchedBy,
      here !== undefined && isOtherCheckout
        ? { rootPath: here.worktree, place: here }
        : { rootPath: project.rootPath, place },
    )
  }

  async function resolveProject({ project: asked, cwd }: ProjectRef): Promise<ResolvedProject> {
    const projects = await deps.store.listProjects()
    const name = asked?.trim() ?? ''
    const real = cwd === undefined ? undefined : await deps.realPath(cwd)
    const isHere = (project: Project) => real !== undefined && isWithin(real, project.rootPath)
    const match = name === '' || isAbsolute(name) ? undefined : matchName(name, projects, isHere)
    if (match !== undefined) return byName(match.project, match.matchedBy, cwd)
    const directory = isAbsolute(name) ? name : cwd
    if (directory !== undefined) return byDirectory(directory, projects)
    throw new HoldfastError('not-found', name === '' ? 'No project was named.' : `No project is called "${name}".`, {
      hint:
        projects.length === 0
          ? 'None is registered yet: call register_project with a name and the root path, or say which directory you are in.'
          : `Known are ${namesOf(projects)}. Register others with register_project, or say which directory you are in.`,
    })
  }

  async function keptProject(name: string): Promise<Project> {
    const kept = (await deps.store.listProjects()).find((project) => project.name === name)
    if (kept === undefined) throw new HoldfastError('internal', `The store did not keep project ${name}.`)
    return kept
  }

  return {
    resolveProject,

    async registerProject(input) {
      const name = checkedName(input.name, 'project name')
      if (!isAbsolute(input.rootPath)) {
        throw new HoldfastError('invalid-input', `The root path "${input.rootPath}" is not absolute.`, {
          hint: 'Give the whole path of the project, from the root of the file system on.',
        })
      }
      const rootPath = await deps.realPath(input.rootPath)
      if (!(await deps.files.isDirectory(rootPath))) {
        throw new HoldfastError('invalid-input', `There is no directory ${input.rootPath}.`, {
          hint: 'Give the path of the folder that holds the project.',
        })
      }
      const { projectId } = await deps.places.locate(rootPath)
      await deps.store.keepProject({ name, rootPath, projectId, addedAt: deps.clock.now() })
      return keptProject(name)
    },

    async listProjects() {
      const projects = await deps.store.listProjects()
      return Promise.all(
        projects.map(async (project) => ({ ...project, isOnDisk: await deps.files.isDirectory(project.rootPath) })),
      )
    },

    async addProjectKeyword({ keyword, ...ref }) {
      const project = await resolveProject(ref)
      if (!project.isRegistered) {
        throw new HoldfastError('not-found', `Project ${project.name} is not registered, so it has no keywords.`, {
          hint: `Register it first: register_project with the name and the root path ${project.rootPath}.`,
        })
      }
      await deps.store.keepKeyword(project.name, checkedName(keyword, 'keyword').toLowerCase())
      return keptProject(project.name)
    },
  }
}
