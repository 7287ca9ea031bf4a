import { getErrorMessage } from '../kernel/errors.ts'
import { ProjectId } from '../kernel/id.ts'
import type { Clock, Files, Git, Log, Locator, Store, RepositorySurveyor } from '../kernel/ports/ports.ts'
import type { Location, Machine, KnownLocation, RepositoryFacts, LocatedRepository } from '../kernel/location.ts'
import { createEarlierProjects } from './earlier-projects.ts'
import {
  compareWithGit,
  compareAcrossMachines,
  compareRepositories,
  identityText,
  isSameDirectory,
  knownCommits,
} from './repository.ts'
import { SharedRuns } from '../kernel/structures/task-queue.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'

const COMMITS_KEPT = 5
const MAX_RESOLVED = 1_000
const RETRY_MS = 5_000
const NOTE_COMMIT_MS = 30_000
const NOTE_SEEN_MS = 3_600_000

export interface ProjectLocatorPorts {
  readonly surveyor: RepositorySurveyor
  readonly store: Pick<Store, 'listSessions' | 'listLocations' | 'saveLocation' | 'hasProjectData'>
  readonly files: Pick<Files, 'isDirectory'>
  readonly git: Pick<Git, 'heldCommits'>
  /** Walks the history: only in the background. */
  readonly rootCommit: (worktree: string) => Promise<string | undefined>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Hex. */
  readonly sha256: (text: string) => string
  readonly machine: Machine
}

interface ProjectDecision {
  readonly projectId: ProjectId
  readonly movedFrom?: string
  /** The matching row; absent for a new location. */
  readonly row?: KnownLocation
  /** False if git did not answer: nothing is stored then. */
  readonly isSettled: boolean
}

interface ResolvedLocation extends Pick<Location, 'projectId' | 'formerWorktree'> {
  /** Absent for a folder that is gone. */
  row?: KnownLocation
  readonly isSettled: boolean
  readonly atMs: number
  notedMs: number
  /** The commit that git last checked. */
  askedFor?: string
  /** Commits that HEAD names and the repository does not have. */
  readonly refused: Set<string>
}

/**
 * A project is not its path. The project of a folder is decided once for each repository at each location, from the disk,
 * and stored; afterwards it is recognised without git and without the store.
 */
export function createProjectLocator(ports: ProjectLocatorPorts): Locator {
  const { store, clock, log, machine } = ports
  const earlier = createEarlierProjects(ports)
  const resolved = new BoundedMap<string, ResolvedLocation>(MAX_RESOLVED)
  const decisions = new SharedRuns<string, ResolvedLocation>()

  const isOwn = ({ machineId, origin }: KnownLocation) =>
    origin === undefined && (!machine.sharesStore || machineId === machine.hostId)

  /** Among the repositories that were at this location. */
  async function recognise({ location: place, repository }: LocatedRepository, rows: readonly KnownLocation[]) {
    let isUnsure = false
    // One git call for all rows: many repositories may have been at one path.
    let held: ReturnType<Git['heldCommits']> | undefined
    const git: Pick<Git, 'heldCommits'> = {
      heldCommits: (worktree) => (held ??= ports.git.heldCommits(worktree, rows.flatMap(knownCommits))),
    }
    for (const row of rows.toSorted((one, other) => countProof(other) - countProof(one))) {
      const compare = isOwn(row) ? compareRepositories : compareAcrossMachines
      const asked = { place, commits: knownCommits(row) }
      const sameness = await compareWithGit(git, asked, (answer) => compare(row, repository, answer))
      if (sameness === 'same') return { row, isUnsure }
      isUnsure ||= sameness === 'unknown'
    }
    return { isUnsure }
  }

  function newProject(repository: RepositoryFacts, taken: ReadonlySet<ProjectId>, isSettled: boolean): ProjectId {
    const text = identityText(repository, machine.hostId)
    for (let count = 0; ; count += 1) {
      const what = `${text}${isSettled ? '' : '\0unsettled'}${count === 0 ? '' : `\0${count}`}`
      const id = ProjectId(ports.sha256(what).slice(0, 32))
      if (!taken.has(id)) return id
    }
  }

  async function decide(survey: LocatedRepository): Promise<ProjectDecision> {
    const { repository } = survey
    const { location, stamp } = repository
    const rows = await store.listLocations({ location })
    const untouched = rows.find((row) => isOwn(row) && isSameDirectory(row, repository))
    if (untouched !== undefined) return { projectId: untouched.projectId, row: untouched, isSettled: true }
    // The same directory at another path: it was moved.
    const elsewhere = stamp === undefined ? [] : await store.listLocations({ stamp })
    const moved = elsewhere.find((row) => isOwn(row) && row.location !== location)
    if (moved !== undefined) {
      log.info('a moved repository was recognised', { location, project: moved.projectId })
      return { projectId: moved.projectId, movedFrom: moved.location, isSettled: true }
    }
    const { row, isUnsure } = await recognise(survey, rows)
    if (row !== undefined) return { projectId: row.projectId, ...(isOwn(row) && { row }), isSettled: true }
    const taken = new Set(rows.map(({ projectId }) => projectId))
    const found = isUnsure ? 'unsure' : await earlier.find(survey, taken)
    if (found === 'unsure') return { projectId: newProject(repository, taken, false), isSettled: false }
    if (found !== undefined) return { ...found, isSettled: true }
    return { projectId: newProject(repository, taken, true), isSettled: true }
  }

  function rowFor({ repository }: LocatedRepository, { projectId, row, movedFrom }: ProjectDecision): KnownLocation {
    const { location, remotes, stamp } = repository
    return {
      machineId: machine.hostId,
      location,
      projectId,
      remotes,
      ...(stamp === undefined ? {} : { stamp }),
      ...(row?.rootCommit === undefined ? {} : { rootCommit: row.rootCommit }),
      commits: row?.commits ?? [],
      ...((movedFrom ?? row?.movedFrom) === undefined ? {} : { movedFrom: movedFrom ?? row?.movedFrom }),
      lastSeenAt: clock.now(),
    }
  }

  async function resolve(survey: LocatedRepository): Promise<ResolvedLocation> {
    const decision = await decide(survey)
    const { projectId, isSettled } = decision
    const atMs = clock.monotonicMs()
    const row = isSettled && survey.isThere ? rowFor(survey, decision) : undefined
    if (row !== undefined) await keep(row)
    const formerWorktree = await earlier.formerWorktree(survey.location, projectId, row?.movedFrom)
    return {
      projectId,
      ...(formerWorktree === undefined ? {} : { formerWorktree }),
      ...(row === undefined ? {} : { row }),
      isSettled,
      atMs,
      notedMs: atMs,
      refused: new Set(),
    }
  }

  /** If the store cannot be written, the same is decided again at the next start. */
  async function keep(row: KnownLocation): Promise<void> {
    try {
      await store.saveLocation(row)
    } catch (thrown) {
      log.warn('location of a project not stored', { location: row.location, error: getErrorMessage(thrown) })
    }
  }

  /** Stores what has changed at a known location, in the background. */
  function note(known: ResolvedLocation, survey: LocatedRepository): void {
    const { row } = known
    if (row === undefined) return
    const nowMs = clock.monotonicMs()
    const { head } = survey.repository
    const isNewCommit = head !== undefined && !row.commits.includes(head) && !known.refused.has(head)
    const isFirst = row.commits.length === 0 && known.askedFor !== head
    const dueMs = isNewCommit ? (isFirst ? 0 : NOTE_COMMIT_MS) : NOTE_SEEN_MS
    if (nowMs - known.notedMs < dueMs) return
    known.notedMs = nowMs
    known.row = { ...row, lastSeenAt: clock.now() }
    void keep(known.row)
    void noteProof(known, survey)
  }

  /**
   * Stores what git says about a repository, in the background. A commit that only the files name is not stored: a
   * repository could name a commit of another one without having it.
   */
  async function noteProof(known: ResolvedLocation, survey: LocatedRepository): Promise<void> {
    const { worktree } = survey.location
    const { head } = survey.repository
    if (known.row === undefined || head === undefined) return
    try {
      if (!known.row.commits.includes(head) && !known.refused.has(head)) {
        known.askedFor = head
        const held = await ports.git.heldCommits(worktree, [head])
        if (held?.has(head) === false) known.refused.add(head)
        if (held?.has(head) === true)
          await update(known, survey, ({ commits }) => ({ commits: withCommit(commits, head) }))
      }
      if (known.row.rootCommit !== undefined) return
      const rootCommit = await ports.rootCommit(worktree)
      if (rootCommit !== undefined) await update(known, survey, () => ({ rootCommit }))
    } catch (thrown) {
      log.warn('commits of a project not stored', { worktree, error: getErrorMessage(thrown) })
    }
  }

  /** Unless another repository is there now: then git may have answered for that one. */
  async function update(
    known: ResolvedLocation,
    survey: LocatedRepository,
    change: (row: KnownLocation) => Partial<KnownLocation>,
  ): Promise<void> {
    const now = await ports.surveyor.survey(survey.location.worktree)
    if (known.row === undefined || toSurveyKey(now) !== toSurveyKey(survey)) return
    known.row = { ...known.row, ...change(known.row) }
    await keep(known.row)
  }

  function isFresh(known: ResolvedLocation): boolean {
    return known.isSettled || clock.monotonicMs() - known.atMs < RETRY_MS
  }

  /** One decision at a time for each key: the hooks of one start arrive together. */
  function resolveOnce(key: string, survey: LocatedRepository): Promise<ResolvedLocation> {
    return decisions.run(key, async () => {
      const found = await resolve(survey)
      resolved.set(key, found)
      void noteProof(found, survey)
      return found
    })
  }

  return {
    async locate(cwd) {
      const survey = await ports.surveyor.survey(cwd)
      const { location: place } = survey
      const key = toSurveyKey(survey)
      const known = resolved.get(key)
      try {
        const found = known !== undefined && isFresh(known) ? known : await resolveOnce(key, survey)
        note(found, survey)
        const { projectId, formerWorktree } = found
        return { ...place, projectId, ...(formerWorktree === undefined ? {} : { formerWorktree }) }
      } catch (thrown) {
        log.warn('project not looked up', { worktree: place.worktree, error: getErrorMessage(thrown) })
        return { ...place, projectId: newProject(survey.repository, new Set(), false) }
      }
    },
  }
}

function withCommit(commits: readonly string[], head: string): readonly string[] {
  if (commits.includes(head)) return commits
  return [head, ...commits].slice(0, COMMITS_KEPT)
}

/**
 * Of several matching rows the one with the most proof comes first: a forged repository that was here in
 * between has no root commit, and must not replace the one that it imitated.
 */
function countProof({ rootCommit, commits }: KnownLocation): number {
  if (rootCommit !== undefined) return 2
  return commits.length > 0 ? 1 : 0
}

/** The facts on disk that a decision depends on. Without a stamp the commit shows another repository. */
function toSurveyKey({ location: place, repository }: LocatedRepository): string {
  const { location, stamp, remotes, head } = repository
  return [location, place.worktree, stamp ?? `commit ${head ?? ''}`, ...remotes].join('\0')
}
