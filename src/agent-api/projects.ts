import type { Project, ProjectMatch, ProjectRef, ResolvedProject } from '../kernel/agent-records.ts'
import type { AgentUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { ProjectId } from '../kernel/id.ts'
import type { Location } from '../kernel/location.ts'
import { isProjectMeant } from '../kernel/paths/is-project-meant.ts'
import { baseName, isWithin } from '../kernel/paths/paths.ts'
import type { AgentApiPorts } from './ports.ts'

const MIN_SIMILAR_CHARS = 2
const SHOWN_NAMES = 8

type NameMatch = { readonly project: Project; readonly matchedBy: 'name' | 'similar-name' }

function isSimilar(asked: string, name: string): boolean {
  const shorter = Math.min(asked.length, name.length)
  return shorter >= MIN_SIMILAR_CHARS && (asked.includes(name) || name.includes(asked))
}

function listNames(projects: readonly Project[]): string {
  const names = projects.slice(0, SHOWN_NAMES).map((project) => project.name)
  const rest = projects.length - names.length
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ')
}

/**
 * Finds the project by exact name, name in another case, keyword, or the closest name that contains it or is contained in
 * it. Refuses an ambiguous name unless `isPreferred` decides.
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
  throw new HoldfastError('conflict', `"${asked}" matches several projects: ${listNames(candidates)}.`, {
    hint: 'Use the full name.',
  })
}

const MAX_NAME_CHARS = 200

type ProjectPorts = Pick<AgentApiPorts, 'store' | 'locator' | 'files' | 'realPath' | 'clock' | 'userHome'>

export interface Projects
  extends Pick<AgentUseCases, 'registerProject' | 'listProjects' | 'addProjectKeyword' | 'resolveProject'> {
  /** Like `resolveProject`, but refuses a name that belongs to no project instead of choosing a similar or the current one. */
  resolveForWrite(ref: ProjectRef): Promise<ResolvedProject>
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)
}

function parseName(text: string, what: string): string {
  const name = text.toWellFormed().trim()
  if (name !== '' && name.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(name)) return name
  throw new HoldfastError('invalid-input', `A ${what} must be one line of 1 to ${MAX_NAME_CHARS} characters.`)
}

/** A repository before its first commit has only a branch. */
function hasGit({ branch, head, remote }: Location): boolean {
  return branch !== undefined || head !== undefined || remote !== undefined
}

function isDriveRoot(path: string): boolean {
  return /^(?:[A-Za-z]:)?[\\/]?$/.test(path)
}

/** Registered projects, and the resolution of a name or directory to one of them. */
export function createProjects(ports: ProjectPorts): Projects {
  async function toResolved(
    project: Project,
    matchedBy: ProjectMatch,
    { rootPath, place }: { rootPath: string; place: Location },
  ): Promise<ResolvedProject> {
    return {
      name: project.name,
      rootPath,
      worktree: place.worktree,
      projectId: project.projectId,
      keywords: project.keywords,
      isRegistered: true,
      isOnDisk: await ports.files.isDirectory(rootPath),
      matchedBy,
    }
  }

  /** False when another repository is at the registered path now. */
  async function isStillAt({ rootPath, projectId }: Project): Promise<boolean> {
    return !(await ports.files.isDirectory(rootPath)) || (await ports.locator.locate(rootPath)).projectId === projectId
  }

  /** Projects that are where they were registered, or not on this disk. */
  async function listPresent(): Promise<readonly Project[]> {
    const projects = await ports.store.listProjects()
    const isPresent = await Promise.all(projects.map(isStillAt))
    return projects.filter((_, index) => isPresent[index])
  }

  /** The home folder and those above it contain every project of the user. */
  async function isTooWide(rootPath: string): Promise<boolean> {
    return isDriveRoot(rootPath) || isWithin(await ports.realPath(ports.userHome), rootPath)
  }

  /** The nearest registered root above the path. A folder above another repository does not count: any agent can register one. */
  async function findRootAbove(
    path: string,
    place: Location,
    projects: readonly Project[],
  ): Promise<Project | undefined> {
    const above = projects
      .filter((project) => isWithin(path, project.rootPath))
      .toSorted((a, b) => b.rootPath.length - a.rootPath.length)
    for (const project of above) {
      if (project.projectId === place.projectId) return project
      if (!hasGit(place) && !(await isTooWide(project.rootPath))) return project
    }
    return undefined
  }

  /** A repository is recognized by its content wherever it is, so only a folder without git is found by name. */
  async function wasPlainFolder({ projectId, rootPath }: Project): Promise<boolean> {
    const known = await ports.store.listLocations({ projectId })
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
    if (namesake === undefined || (await ports.files.isDirectory(namesake.rootPath))) return undefined
    return (await wasPlainFolder(namesake)) ? namesake : undefined
  }

  async function resolveByDirectory(path: string, projects: readonly Project[]): Promise<ResolvedProject> {
    const [place, real] = await Promise.all([ports.locator.locate(path), ports.realPath(path)])
    const nearest = await findRootAbove(real, place, projects)
    if (nearest !== undefined) return toResolved(nearest, 'path', { rootPath: nearest.rootPath, place })
    // Another checkout of a registered repository.
    const sibling = projects.find((project) => project.projectId === place.projectId)
    if (sibling !== undefined) return toResolved(sibling, 'path', { rootPath: place.worktree, place })
    const name = baseName(place.worktree) || place.worktree
    const namesake = hasGit(place) ? undefined : await findLostNamesake(name, projects)
    if (namesake !== undefined) return toResolved(namesake, 'folder-name', { rootPath: place.worktree, place })
    return {
      name,
      rootPath: place.worktree,
      worktree: place.worktree,
      projectId: place.projectId,
      keywords: [],
      isRegistered: false,
      isOnDisk: await ports.files.isDirectory(place.worktree),
      matchedBy: 'directory',
    }
  }

  async function resolveByName(
    project: Project,
    matchedBy: ProjectMatch,
    cwd: string | undefined,
  ): Promise<ResolvedProject> {
    const here = cwd === undefined ? undefined : await ports.locator.locate(cwd)
    const place = await ports.locator.locate(project.rootPath)
    const isOtherCheckout = here?.projectId === project.projectId && here.worktree !== place.worktree
    return toResolved(
      project,
      matchedBy,
      here !== undefined && isOtherCheckout
        ? { rootPath: here.worktree, place: here }
        : { rootPath: project.rootPath, place },
    )
  }

  async function resolveProject({ project: asked, cwd }: ProjectRef): Promise<ResolvedProject> {
    const projects = await listPresent()
    const name = asked?.trim() ?? ''
    const real = cwd === undefined ? undefined : await ports.realPath(cwd)
    const isHere = (project: Project) => real !== undefined && isWithin(real, project.rootPath)
    const match = name === '' || isAbsolute(name) ? undefined : matchName(name, projects, isHere)
    if (match !== undefined) return resolveByName(match.project, match.matchedBy, cwd)
    const directory = isAbsolute(name) ? name : cwd
    if (directory !== undefined) {
      const found = await resolveByDirectory(directory, projects)
      if (found.isRegistered || found.isOnDisk || !isAbsolute(name)) return found
      throw new HoldfastError('not-found', `There is no directory ${name}.`, { hint: explainKnown(projects) })
    }
    throw new HoldfastError(
      'not-found',
      name === '' ? 'No project name was given.' : `No project is named "${name}".`,
      {
        hint: explainKnown(projects),
      },
    )
  }

  function explainKnown(projects: readonly Project[]): string {
    return projects.length === 0
      ? 'No project is registered: call register_project with a name and the root path, or pass the directory.'
      : `Known projects: ${listNames(projects)}. Register others with register_project, or pass the directory.`
  }

  async function resolveForWrite(ref: ProjectRef): Promise<ResolvedProject> {
    const resolved = await resolveProject(ref)
    if (isProjectMeant(resolved, ref.project)) return resolved
    throw new HoldfastError('not-found', `No project is named "${ref.project?.trim()}". Nothing was written.`, {
      hint: explainKnown(await listPresent()),
    })
  }

  /** A name gives access to what is stored about a project, so a name in use is refused. */
  async function refuseTakenName(name: string, projectId: ProjectId): Promise<void> {
    const holder = (await ports.store.listProjects()).find((project) => project.name === name)
    if (holder === undefined || holder.projectId === projectId) return
    if (!(await ports.files.isDirectory(holder.rootPath)) || !(await isStillAt(holder))) return
    throw new HoldfastError('conflict', `The name "${name}" belongs to the project in ${holder.rootPath}.`, {
      hint: `Register this folder under another name. The name becomes free when the project is no longer in ${holder.rootPath}.`,
    })
  }

  async function getStoredProject(name: string): Promise<Project> {
    const stored = (await ports.store.listProjects()).find((project) => project.name === name)
    if (stored === undefined) throw new HoldfastError('internal', `The store did not save project ${name}.`)
    return stored
  }

  return {
    resolveProject,
    resolveForWrite,

    async registerProject(input) {
      const name = parseName(input.name, 'project name')
      if (!isAbsolute(input.rootPath)) {
        throw new HoldfastError('invalid-input', `The root path "${input.rootPath}" is not absolute.`, {
          hint: 'Give the absolute path of the project.',
        })
      }
      const rootPath = await ports.realPath(input.rootPath)
      if (!(await ports.files.isDirectory(rootPath))) {
        throw new HoldfastError('invalid-input', `${input.rootPath} is not a directory.`, {
          hint: 'Give the path of the project folder.',
        })
      }
      if (await isTooWide(rootPath)) {
        throw new HoldfastError(
          'invalid-input',
          `${rootPath} cannot be a project: it is the root of the file system, the home folder or a folder above it.`,
          { hint: 'Give the path of the folder of this one project.' },
        )
      }
      const { projectId } = await ports.locator.locate(rootPath)
      await refuseTakenName(name, projectId)
      await ports.store.saveProject({ name, rootPath, projectId, addedAt: ports.clock.now() })
      return getStoredProject(name)
    },

    async listProjects() {
      const projects = await ports.store.listProjects()
      return Promise.all(
        projects.map(async (project) => ({ ...project, isOnDisk: await ports.files.isDirectory(project.rootPath) })),
      )
    },

    async addProjectKeyword({ keyword, ...ref }) {
      const project = await resolveForWrite(ref)
      if (!project.isRegistered) {
        throw new HoldfastError('not-found', `Project ${project.name} is not registered, so it has no keywords.`, {
          hint: `Register it first: register_project with the name and the root path ${project.rootPath}.`,
        })
      }
      await ports.store.saveKeyword(project.name, parseName(keyword, 'keyword').toLowerCase())
      return getStoredProject(project.name)
    },
  }
}
