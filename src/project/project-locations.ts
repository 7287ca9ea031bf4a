import { messageOf } from '../kernel/errors.ts'
import { ProjectId } from '../kernel/id.ts'
import type { Clock, Files, Git, Log, Places, Store, Surveys } from '../kernel/ports/ports.ts'
import type { Place } from '../kernel/project.ts'
import { createEarlierProjects } from './earlier-projects.ts'
import { compareWithGit } from './known-commits.ts'
import type { Machine } from '../kernel/machine.ts'
import {
  compareAcrossMachines,
  compareRepositories,
  identityText,
  isSameDirectory,
  knownCommits,
} from './repository.ts'
import { type KnownLocation, type RepositoryFacts, type Survey } from '../kernel/repository.ts'

const COMMITS_KEPT = 5
const MAX_RESOLVED = 1_000
/** How soon a question that git did not answer is asked again. */
const RETRY_MS = 5_000
/** How soon another commit at a known location is written down. */
const NOTE_COMMIT_MS = 30_000
const NOTE_SEEN_MS = 3_600_000

export interface ProjectPlacesDeps {
  readonly places: Surveys
  readonly store: Pick<Store, 'listSessions' | 'listLocations' | 'keepLocation' | 'isProjectKept'>
  readonly files: Pick<Files, 'isDirectory'>
  readonly git: Pick<Git, 'heldCommits'>
  /** Walks the history, so it is asked in the background only. */
  readonly rootCommit: (worktree: string) => Promise<string | undefined>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Hex. */
  readonly sha256: (text: string) => string
  readonly machine: Machine
}

interface Decision {
  readonly projectId: ProjectId
  readonly movedFrom?: string
  /** The row that was recognised; absent for a location that is seen for the first time. */
  readonly row?: KnownLocation
  /** False where git had to be asked and did not answer: nothing is written down then. */
  readonly isSettled: boolean
}

interface Resolved extends Pick<Place, 'projectId' | 'formerWorktree'> {
  /** Absent for a folder that is gone. */
  row?: KnownLocation
  readonly isSettled: boolean
  readonly atMs: number
  notedMs: number
  /** The commit that git was last asked about. */
  askedFor?: string
  /** Commits that the repository names and does not hold. */
  readonly refused: Set<string>
}

/**
 * A project is not its path. Which one a folder belongs to is decided once for each repository at each location, from what the disk
 * says, and written down; afterwards it is recognised without git and without the store.
 */
export function createProjectPlaces(deps: ProjectPlacesDeps): Places {
  const { store, clock, log, machine } = deps
  const earlier = createEarlierProjects(deps)
  const resolved = new Map<string, Resolved>()
  const underWay = new Map<string, Promise<Resolved>>()

  const isOwn = ({ machineId }: KnownLocation) => !machine.sharesStore || machineId === machine.hostId

  /** Among the repositories that were at this very location. */
  async function recognise({ place, repository }: Survey, rows: readonly KnownLocation[]) {
    let isUnsure = false
    // Once for all rows: a path where many repositories were must not cost a call of git for each.
    let held: ReturnType<Git['heldCommits']> | undefined
    const git: Pick<Git, 'heldCommits'> = {
      heldCommits: (worktree) => (held ??= deps.git.heldCommits(worktree, rows.flatMap(knownCommits))),
    }
    for (const row of rows.toSorted((one, other) => proofOf(other) - proofOf(one))) {
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
      const id = ProjectId(deps.sha256(what).slice(0, 32))
      if (!taken.has(id)) return id
    }
  }

  async function decide(survey: Survey): Promise<Decision> {
    const { repository } = survey
    const { location, stamp } = repository
    const rows = await store.listLocations({ location })
    const untouched = rows.find((row) => isOwn(row) && isSameDirectory(row, repository))
    if (untouched !== undefined) return { projectId: untouched.projectId, row: untouched, isSettled: true }
    // The very same directory, at another path: it was moved, whatever is at its former path now.
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

  function rowFor({ repository }: Survey, { projectId, row, movedFrom }: Decision): KnownLocation {
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

  async function resolve(survey: Survey): Promise<Resolved> {
    const decision = await decide(survey)
    const { projectId, isSettled } = decision
    const atMs = clock.monotonicMs()
    const row = isSettled && survey.isThere ? rowFor(survey, decision) : undefined
    if (row !== undefined) await keep(row)
    const formerWorktree = await earlier.formerWorktree(survey.place, projectId, row?.movedFrom)
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

  /** A store that cannot be written has what it had: the same is decided again at the next start. */
  async function keep(row: KnownLocation): Promise<void> {
    try {
      await store.keepLocation(row)
    } catch (thrown) {
      log.warn('location of a project not kept', { location: row.location, error: messageOf(thrown) })
    }
  }

  /** Writes down what has changed at a known location, while nobody waits for it. */
  function note(known: Resolved, survey: Survey): void {
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
   * Writes down what git says about a repository, while nobody waits for it. A commit that only the files name is not kept: a
   * repository that names one without holding it would later be taken for the one that does.
   */
  async function noteProof(known: Resolved, survey: Survey): Promise<void> {
    const { worktree } = survey.place
    const { head } = survey.repository
    if (known.row === undefined || head === undefined) return
    try {
      if (!known.row.commits.includes(head) && !known.refused.has(head)) {
        known.askedFor = head
        const held = await deps.git.heldCommits(worktree, [head])
        if (held?.has(head) === false) known.refused.add(head)
        if (held?.has(head) === true)
          await update(known, survey, ({ commits }) => ({ commits: withCommit(commits, head) }))
      }
      if (known.row.rootCommit !== undefined) return
      const rootCommit = await deps.rootCommit(worktree)
      if (rootCommit !== undefined) await update(known, survey, () => ({ rootCommit }))
    } catch (thrown) {
      log.warn('commits of a project not kept', { worktree, error: messageOf(thrown) })
    }
  }

  /** Unless another repository has taken the place since: then git may have answered for that one. */
  async function update(
    known: Resolved,
    survey: Survey,
    change: (row: KnownLocation) => Partial<KnownLocation>,
  ): Promise<void> {
    const now = await deps.places.survey(survey.place.worktree)
    if (known.row === undefined || keyOf(now) !== keyOf(survey)) return
    known.row = { ...known.row, ...change(known.row) }
    await keep(known.row)
  }

  function isFresh(known: Resolved): boolean {
    return known.isSettled || clock.monotonicMs() - known.atMs < RETRY_MS
  }

  /** One decision at a time for each key: hooks of one start come together. */
  function resolveOnce(key: string, survey: Survey): Promise<Resolved> {
    const waiting = underWay.get(key)
    if (waiting !== undefined) return waiting
    const deciding = resolve(survey)
      .then((found) => {
        if (resolved.size >= MAX_RESOLVED) resolved.clear()
        resolved.set(key, found)
        void noteProof(found, survey)
        return found
      })
      .finally(() => underWay.delete(key))
    underWay.set(key, deciding)
    return deciding
  }

  return {
    async locate(cwd) {
      const survey = await deps.places.survey(cwd)
      const { place } = survey
      const key = keyOf(survey)
      const known = resolved.get(key)
      try {
        const found = known !== undefined && isFresh(known) ? known : await resolveOnce(key, survey)
        note(found, survey)
        const { projectId, formerWorktree } = found
        return { ...place, projectId, ...(formerWorktree === undefined ? {} : { formerWorktree }) }
      } catch (thrown) {
        log.warn('project not looked up', { worktree: place.worktree, error: messageOf(thrown) })
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
 * Of several rows that a repository may be, the one that git confirmed most of comes first: a forged repository that was here in
 * between has no root commit, and must not take the place of the one that it imitated.
 */
function proofOf({ rootCommit, commits }: KnownLocation): number {
  if (rootCommit !== undefined) return 2
  return commits.length > 0 ? 1 : 0
}

/** What a decision rests on, as far as the disk says it. Without a stamp another repository shows by its commit. */
function keyOf({ place, repository }: Survey): string {
  const { location, stamp, remotes, head } = repository
  return [location, place.worktree, stamp ?? `commit ${head ?? ''}`, ...remotes].join('\0')
}
