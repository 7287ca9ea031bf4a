import type { ProjectId } from '../kernel/id.ts'
import type { Files, Git, Log, Store, RepositorySurveyor } from '../kernel/ports/ports.ts'
import type { Location, LocatedRepository } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import { baseName } from '../kernel/paths/paths.ts'
import { compareWithGit, compareRepositories, compareWithSessions, knownCommits, type Sameness } from './repository.ts'

const KNOWN_HERE = 50
const CANDIDATES = 500
/** A fresh clone may lack unpushed commits: then an earlier commit matches. */
const COMMITS_OF_EACH = 3
/** A hook waits: of many folders that are gone only the latest are checked. */
const PROJECTS_ASKED = 12

interface EarlierProjectsPorts {
  readonly surveyor: RepositorySurveyor
  readonly store: Pick<Store, 'listSessions' | 'listLocations' | 'hasProjectData'>
  readonly files: Pick<Files, 'isDirectory'>
  readonly git: Pick<Git, 'heldCommits'>
  readonly log: Pick<Log, 'info'>
}

export interface FoundProject {
  readonly projectId: ProjectId
  readonly movedFrom?: string
}

function isMain({ worktree, projectNormalized }: Location): boolean {
  return worktree === projectNormalized
}

function listHeads(places: readonly Location[]): readonly string[] {
  return [...new Set(places.flatMap(({ head }) => head ?? []))].slice(0, COMMITS_OF_EACH)
}

/** By project, in the order in which they come first. */
function byProject(places: readonly Location[]): ReadonlyMap<ProjectId, readonly Location[]> {
  const grouped = new Map<ProjectId, Location[]>()
  for (const place of places) {
    const group = grouped.get(place.projectId)
    if (group === undefined) grouped.set(place.projectId, [place])
    else group.push(place)
  }
  return grouped
}

/** Finds projects without a matching location: those from before locations were stored, and those whose folder is gone. */
export function createEarlierProjects({ surveyor, store, files, git, log }: EarlierProjectsPorts) {
  /** The sessions at this path, by project, including the project id that was derived from the path before locations were stored. */
  async function keptHere({ location: place }: LocatedRepository, sessions: readonly Location[]) {
    const before = await store.listSessions({ worktree: place.worktree, limit: KNOWN_HERE })
    const here = [...listPlaces(before), ...sessions].filter(
      (known) => known.worktree === place.worktree || known.projectNormalized === place.projectNormalized,
    )
    const grouped = new Map(byProject(here))
    if (!grouped.has(place.projectId) && (await store.hasProjectData(place.projectId))) grouped.set(place.projectId, [])
    return grouped
  }

  async function adopt(survey: LocatedRepository, sessions: readonly Location[], taken: ReadonlySet<ProjectId>) {
    const { location: place, repository } = survey
    let isUnsure = false
    for (const [projectId, known] of await keptHere(survey, sessions)) {
      // A project that is known at this location has been compared already.
      if (taken.has(projectId) || (!repository.hasGit && projectId !== place.projectId)) continue
      const sameness = await compareWithGit(git, { place, commits: listHeads(known) }, (answer) =>
        compareWithSessions(known, repository, answer),
      )
      const saysNothing = known.every(({ remote, head }) => remote === undefined && head === undefined)
      if (sameness === 'same' && saysNothing && (await isElsewhere(projectId))) continue
      if (sameness === 'same') return { projectId }
      isUnsure ||= sameness === 'unknown'
    }
    return isUnsure ? 'unsure' : undefined
  }

  async function isElsewhere(projectId: ProjectId): Promise<boolean> {
    return (await store.listLocations({ projectId })).length > 0
  }

  /** Whether a project's repository is no longer at its location: the folder is gone, or another repository is in it. */
  async function isVacated(projectId: ProjectId, known: readonly Location[]): Promise<boolean> {
    const [newest] = known
    if (newest === undefined) return false
    const { projectNormalized, worktree } = newest
    if (!(await files.isDirectory(projectNormalized)) && !(await files.isDirectory(worktree))) return true
    const there = await surveyor.survey(projectNormalized)
    // A repository that cannot prove its identity may still be the project.
    if (there.repository.isIncomplete === true) return false
    return (await samenessAt(there, projectId, known)) === 'other'
  }

  async function samenessAt(
    there: LocatedRepository,
    projectId: ProjectId,
    known: readonly Location[],
  ): Promise<Sameness> {
    const { location: place, repository } = there
    const rows = await store.listLocations({ location: repository.location })
    const row = rows.find((candidate) => candidate.projectId === projectId)
    return row === undefined
      ? compareWithGit(git, { place, commits: listHeads(known) }, (answer) =>
          compareWithSessions(known, repository, answer),
        )
      : compareWithGit(git, { place, commits: knownCommits(row) }, (answer) =>
          compareRepositories(row, repository, answer),
        )
  }

  /** A project whose folder is gone, by a shared commit and the same remote, or none. */
  async function movedHere({ location: place, repository }: LocatedRepository, sessions: readonly Location[]) {
    // Without a commit a repository cannot be identified.
    if (place.head === undefined) return undefined
    let asked = 0
    for (const [projectId, all] of byProject(sessions)) {
      const known = all.filter(({ head }) => head !== undefined)
      const [newest] = known
      if (newest === undefined) continue
      const { remote } = newest
      const isSameRemote = repository.remotes[0] === remote
      if (!isSameRemote || !(await isVacated(projectId, known))) continue
      if (asked === PROJECTS_ASKED) return undefined
      asked += 1
      const heads = listHeads(known)
      const held = await git.heldCommits(place.worktree, heads)
      if (!heads.some((commit) => held?.has(commit) === true)) continue
      log.info('a moved repository was recognised', { worktree: place.worktree, project: projectId })
      return { projectId, movedFrom: newest.projectNormalized }
    }
    return undefined
  }

  /** A folder that another home reports is not a folder of this disk. */
  function listPlaces(sessions: readonly Session[]): readonly Location[] {
    return sessions.flatMap(({ place, origin }) => (place === undefined || origin !== undefined ? [] : [place]))
  }

  return {
    /** `unsure` if git did not answer for a project that was here. */
    async find(survey: LocatedRepository, taken: ReadonlySet<ProjectId>): Promise<FoundProject | 'unsure' | undefined> {
      const sessions = listPlaces(await store.listSessions({ limit: CANDIDATES }))
      return (await adopt(survey, sessions, taken)) ?? (await movedHere(survey, sessions))
    },

    /** Where this checkout was before it was moved here. */
    async formerWorktree(
      here: Location,
      projectId: ProjectId,
      movedFrom: string | undefined,
    ): Promise<string | undefined> {
      const [last] = listPlaces(await store.listSessions({ projectId, worktree: here.worktree, limit: KNOWN_HERE }))
      // Decided once a session is stored here.
      if (last !== undefined) return last.formerWorktree
      if (movedFrom === undefined) return undefined
      return listPlaces(await store.listSessions({ projectId, limit: CANDIDATES })).find(
        (place) =>
          place.worktree !== here.worktree &&
          ((isMain(place) && isMain(here)) || baseName(place.worktree) === baseName(here.worktree)),
      )?.worktree
    },
  }
}
