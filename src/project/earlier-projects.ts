import type { ProjectId } from '../kernel/id.ts'
import type { Files, Git, Log, Store, Surveys } from '../kernel/ports/ports.ts'
import type { Place } from '../kernel/project.ts'
import { baseName } from '../kernel/paths/paths.ts'
import { compareWithGit } from './known-commits.ts'
import { compareRepositories, compareWithSessions, knownCommits, type Sameness } from './repository.ts'
import { type Survey } from '../kernel/repository.ts'

const KNOWN_HERE = 50
const CANDIDATES = 500
/** A fresh clone may lack what was never pushed: then an earlier commit tells. */
const COMMITS_OF_EACH = 3
/** A hook waits: of many folders that are gone only the latest are asked about. */
const PROJECTS_ASKED = 12

interface Deps {
  readonly places: Surveys
  readonly store: Pick<Store, 'listSessions' | 'listLocations' | 'isProjectKept'>
  readonly files: Pick<Files, 'isDirectory'>
  readonly git: Pick<Git, 'heldCommits'>
  readonly log: Pick<Log, 'info'>
}

export interface FoundProject {
  readonly projectId: ProjectId
  readonly movedFrom?: string
}

function isMain({ worktree, projectNormalized }: Place): boolean {
  return worktree === projectNormalized
}

function headsOf(places: readonly Place[]): readonly string[] {
  return [...new Set(places.flatMap(({ head }) => head ?? []))].slice(0, COMMITS_OF_EACH)
}

/** By project, in the order in which they come first. */
function byProject(places: readonly Place[]): ReadonlyMap<ProjectId, readonly Place[]> {
  const grouped = new Map<ProjectId, Place[]>()
  for (const place of places) {
    const group = grouped.get(place.projectId)
    if (group === undefined) grouped.set(place.projectId, [place])
    else group.push(place)
  }
  return grouped
}

/** Projects that no location says anything about: those from before locations were kept, and those whose folder has gone. */
export function createEarlierProjects({ places, store, files, git, log }: Deps) {
  /** The sessions that were kept at this very path, by project, and the one that the path alone stood for before locations were kept. */
  async function keptHere({ place }: Survey, sessions: readonly Place[]) {
    const before = await store.listSessions({ worktree: place.worktree, limit: KNOWN_HERE })
    const here = [...before.flatMap((session) => session.place ?? []), ...sessions].filter(
      (known) => known.worktree === place.worktree || known.projectNormalized === place.projectNormalized,
    )
    const grouped = new Map(byProject(here))
    if (!grouped.has(place.projectId) && (await store.isProjectKept(place.projectId))) grouped.set(place.projectId, [])
    return grouped
  }

  async function adopt(survey: Survey, sessions: readonly Place[], taken: ReadonlySet<ProjectId>) {
    const { place, repository } = survey
    let isUnsure = false
    for (const [projectId, known] of await keptHere(survey, sessions)) {
      // One that is known at this location was compared by what is known of it.
      if (taken.has(projectId) || (!repository.hasGit && projectId !== place.projectId)) continue
      const sameness = await compareWithGit(git, { place, commits: headsOf(known) }, (answer) =>
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

  /** Whether the repository that a project was at a place is no longer there: the folder is gone, or another one is in it. */
  async function isVacated(projectId: ProjectId, known: readonly Place[]): Promise<boolean> {
    const [newest] = known
    if (newest === undefined) return false
    const { projectNormalized, worktree } = newest
    if (!(await files.isDirectory(projectNormalized)) && !(await files.isDirectory(worktree))) return true
    const there = await places.survey(projectNormalized)
    // One that cannot prove what it is may still be the project.
    if (there.repository.isIncomplete === true) return false
    return (await samenessAt(there, projectId, known)) === 'other'
  }

  async function samenessAt(there: Survey, projectId: ProjectId, known: readonly Place[]): Promise<Sameness> {
    const { place, repository } = there
    const rows = await store.listLocations({ location: repository.location })
    const row = rows.find((candidate) => candidate.projectId === projectId)
    return row === undefined
      ? compareWithGit(git, { place, commits: headsOf(known) }, (answer) =>
          compareWithSessions(known, repository, answer),
        )
      : compareWithGit(git, { place, commits: knownCommits(row) }, (answer) =>
          compareRepositories(row, repository, answer),
        )
  }

  /** A repository whose folder has gone, by a commit that it had and by the same address, or none. */
  async function movedHere({ place, repository }: Survey, sessions: readonly Place[]) {
    // Without a commit there is nothing to know a repository by.
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
      const heads = headsOf(known)
      const held = await git.heldCommits(place.worktree, heads)
      if (!heads.some((commit) => held?.has(commit) === true)) continue
      log.info('a moved repository was recognised', { worktree: place.worktree, project: projectId })
      return { projectId, movedFrom: newest.projectNormalized }
    }
    return undefined
  }

  return {
    /** `unsure` where git would have to answer for a project that was here and does not. */
    async find(survey: Survey, taken: ReadonlySet<ProjectId>): Promise<FoundProject | 'unsure' | undefined> {
      const sessions = (await store.listSessions({ limit: CANDIDATES })).flatMap(({ place }) => place ?? [])
      return (await adopt(survey, sessions, taken)) ?? (await movedHere(survey, sessions))
    },

    /** Where this checkout was before it came here: what was done there was done in it. */
    async formerWorktree(
      here: Place,
      projectId: ProjectId,
      movedFrom: string | undefined,
    ): Promise<string | undefined> {
      const [last] = await store.listSessions({ projectId, worktree: here.worktree, limit: 1 })
      // Once a session was kept here, it is decided.
      if (last?.place !== undefined) return last.place.formerWorktree
      if (movedFrom === undefined) return undefined
      const sessions = await store.listSessions({ projectId, limit: CANDIDATES })
      return sessions
        .flatMap(({ place }) => place ?? [])
        .find(
          (place) =>
            place.worktree !== here.worktree &&
            ((isMain(place) && isMain(here)) || baseName(place.worktree) === baseName(here.worktree)),
        )?.worktree
    },
  }
}
