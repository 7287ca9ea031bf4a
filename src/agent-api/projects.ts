import type { Project, ProjectMatch, ProjectRef, ResolvedProject } from '../kernel/agent-records.ts'
import type { AgentUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { ProjectId } from '../kernel/id.ts'
import type { Place } from '../kernel/project.ts'
import { baseName, isWithin } from '../kernel/paths/paths.ts'
import type { AgentDoorDeps } from './deps.ts'

const MIN_SIMILAR_CHARS = 2
const SHOWN_NAMES = 8

type NameMatch = { readonly project: Project; readonly matchedBy: 'name' | 'similar-name' }

function isSimilar(asked: string, name: string): boolean {
  const shorter = Math.min(asked.length, name.length)
  return shorter >= MIN_SIMILAR_CHARS && (asked.includes(name) || name.includes(asked))
}

/** Names in words, for a hint. */
function namesOf(projects: readonly Project[]): string {
  const names = projects.slice(0, SHOWN_NAMES).map((project) => project.name)
  const rest = projects.length - names.length
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ')
}

/**
 * The one project that a name means: spelled so, spelled so but for case, a keyword, else the one whose name contains
 * it or is contained in it and differs least. Two that differ equally are refused, unless `isPreferred` settles it.
 */
export function matchName(
  asked: string,
  projects: readonly Project[],
  isPreferred: (project: Project) => boolean = () => false,
): NameMatch | undefined {
  const exact = projects.find((project) => project.name === asked)
  if (exact !== undefined) return { project: exact, matchedBy: 'name' }
  const lower = asked.toLowerCase()
  const sameLetters = projects.filter((project) => project.name.toLowerCase() === lower)
  const keyed = projects.filter((project) => project.keywords.includes(lower))
  const similar = projects.filter((project) => isSimilar(lower, project.name.toLowerCase()))
  const distance = (project: Project) => Math.abs(project.name.length - asked.length)
  const least = Math.min(...similar.map(distance))
  const closest = similar.filter((project) => distance(project) === least)
  const candidates = [sameLetters, keyed, closest].find((group) => group.length > 0) ?? []
  const [first] = candidates
  if (first === undefined) return undefined
  const project = candidates.length === 1 ? first : candidates.find(isPreferred)
  if (project !== undefined) return { project, matchedBy: 'similar-name' }
  throw new HoldfastError('conflict', `"${asked}" could be any of these projects: ${namesOf(candidates)}.`, {
    hint: 'Use the full name.',
  })
}

const MAX_NAME_CHARS = 200

type Deps = Pick<AgentDoorDeps, 'store' | 'places' | 'files' | 'realPath' | 'clock' | 'userHome'>

export interface Projects
  extends Pick<AgentUseCases, 'registerProject' | 'listProjects' | 'addProjectKeyword' | 'resolveProject'> {}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)
}

function checkedName(text: string, what: string): string {
  const name = text.toWellFormed().trim()
  if (name !== '' && name.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(name)) return name
  throw new HoldfastError('invalid-input', `A ${what} has 1 to ${MAX_NAME_CHARS} characters and is one line.`)
}

/** An unborn branch is git too: a repository before its first commit has no other sign. */
function hasGit({ branch, head, remote }: Place): boolean {
  return branch !== undefined || head !== undefined || remote !== undefined
}

function isDriveRoot(path: string): boolean {
  return /^(?:[A-Za-z]:)?[\\/]?$/.test(path)
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

  /** Another repository may be at the path that was registered: its folder is not this project any more. */
  async function isStillAt({ rootPath, projectId }: Project): Promise<boolean> {
    return !(await deps.files.isDirectory(rootPath)) || (await deps.places.locate(rootPath)).projectId === projectId
  }

  /** Those that are where they were registered, or not on this disk. */
  async function registered(): Promise<readonly Project[]> {
    const projects = await deps.store.listProjects()
    const standing = await Promise.all(projects.map(isStillAt))
    return projects.filter((_, index) => standing[index])
  }

  /** The home folder and those above it hold every project of the user. */
  async function isTooWide(rootPath: string): Promise<boolean> {
    return isDriveRoot(rootPath) || isWithin(await deps.realPath(deps.userHome), rootPath)
  }

  /** The nearest registered root that may speak for the place: any agent can register a folder above somebody else's repository. */
  async function findRootAbove(path: string, place: Place, projects: readonly Project[]): Promise<Project | undefined> {
    const above = projects
      .filter((project) => isWithin(path, project.rootPath))
      .toSorted((a, b) => b.rootPath.length - a.rootPath.length)
    for (const project of above) {
      if (project.projectId === place.projectId) return project
      if (!hasGit(place) && !(await isTooWide(project.rootPath))) return project
    }
    return undefined
  }

  /** A repository is recognised by its content wherever it is, so only a folder that never had git is known by its name alone. */
  async function wasPlainFolder({ projectId, rootPath }: Project): Promise<boolean> {
    const known = await deps.store.listLocations({ projectId })
    return (
      known.length > 0 &&
      known.every(
        ({ location, stamp, remotes, commits }) =>
          location === rootPath && stamp === undefined && remotes.length === 0 && commits.length === 0,
      )
    )
  }

  async function findLostNamesake(name: string, projects: readonly Project[]): Promise<Project | undefined> {
    const namesake = projects.find((project) => project.name === name)
    if (namesake === undefined || (await deps.files.isDirectory(namesake.rootPath))) return undefined
    return (await wasPlainFolder(namesake)) ? namesake : undefined
  }

  async function byDirectory(path: string, projects: readonly Project[]): Promise<ResolvedProject> {
    const [place, real] = await Promise.all([deps.places.locate(path), deps.realPath(path)])
    const nearest = await findRootAbove(real, place, projects)
    if (nearest !== undefined) return resolved(nearest, 'path', { rootPath: nearest.rootPath, place })
    // Another checkout of a registered repository: its knowledge, this checkout's files.
    const sibling = projects.find((project) => project.projectId === place.projectId)
    if (sibling !== undefined) return resolved(sibling, 'path', { rootPath: place.worktree, place })
    const name = baseName(place.worktree) || place.worktree
    const namesake = hasGit(place) ? undefined : await findLostNamesake(name, projects)
    if (namesake !== undefined) return resolved(namesake, 'folder-name', { rootPath: place.worktree, place })
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
    const projects = await registered()
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

  /** A name leads agents to the knowledge of a project: while that project is there, nobody else gets its name. */
  async function refuseTakenName(name: string, projectId: ProjectId): Promise<void> {
    const holder = (await deps.store.listProjects()).find((project) => project.name === name)
    if (holder === undefined || holder.projectId === projectId) return
    if (!(await deps.files.isDirectory(holder.rootPath)) || !(await isStillAt(holder))) return
    throw new HoldfastError('conflict', `The name "${name}" belongs to the project in ${holder.rootPath}.`, {
      hint: `Register this folder under another name. The name becomes free when the project is no longer in ${holder.rootPath}.`,
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
      if (await isTooWide(rootPath)) {
        throw new HoldfastError(
          'invalid-input',
          `${rootPath} cannot be a project: it is the root of the file system, the home folder or a folder above it.`,
          { hint: 'Give the path of the folder that holds this one project.' },
        )
      }
      const { projectId } = await deps.places.locate(rootPath)
      await refuseTakenName(name, projectId)
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
