import type { KnownLocation, RepositoryFacts } from '../kernel/repository.ts'
import type { Place } from '../kernel/project.ts'

/** Whether the repository that is here now has a commit that was known before, among its own objects. */
export type CommitAnswer = 'has-one' | 'has-none' | 'unknown'

export type Sameness = 'same' | 'other' | 'unknown'

type Known = Pick<KnownLocation, 'remotes' | 'stamp' | 'rootCommit' | 'commits'>
type Seen = Pick<RepositoryFacts, 'hasGit' | 'remotes' | 'stamp'>

export function knownCommits({ commits, rootCommit }: Pick<Known, 'commits' | 'rootCommit'>): readonly string[] {
  return rootCommit === undefined ? commits : [...commits, rootCommit]
}

export function isSameDirectory(known: Pick<Known, 'stamp'>, seen: Pick<Seen, 'stamp'>): boolean {
  return known.stamp !== undefined && known.stamp === seen.stamp
}

/** Whether the remotes that name the two sides are equal; undefined where one of them has no remote. */
function haveSameRemote(known: readonly string[], seen: readonly string[]): boolean | undefined {
  const [formerly, now] = [known[0], seen[0]]
  return formerly === undefined || now === undefined ? undefined : formerly === now
}

/** By commits alone; undefined where none was known. */
function compareCommits(commits: readonly string[], answer: CommitAnswer): Sameness | undefined {
  if (commits.length === 0) return undefined
  return answer === 'has-one' ? 'same' : answer === 'has-none' ? 'other' : 'unknown'
}

/**
 * As `compareRepositories`, for what another machine knows of the same path: stamps mean nothing there, and neither does the path.
 * Anybody can write an address into a configuration, so only a commit proves anything.
 */
export function compareAcrossMachines(known: Known, seen: Seen, commits: CommitAnswer): Sameness {
  if (haveSameRemote(known.remotes, seen.remotes) === false) return 'other'
  return compareCommits(knownCommits(known), commits) ?? 'other'
}

/**
 * Whether what is at a location now is the repository that was known there. The same directory is the same repository, whatever was
 * done to it: remotes come late and change, histories are rewritten. Another directory at the path is the same one when it holds a
 * commit that was known and has no other address. A shallow clone, or one that borrows its objects, cannot always prove that, and is
 * another one then. `unknown` is for when git has to be asked and does not answer: it must not lead to either.
 */
export function compareRepositories(known: Known, seen: Seen, commits: CommitAnswer): Sameness {
  if (!seen.hasGit || isSameDirectory(known, seen)) return 'same'
  const isSameRemote = haveSameRemote(known.remotes, seen.remotes)
  if (isSameRemote === false) return 'other'
  const byCommits = compareCommits(knownCommits(known), commits)
  if (byCommits !== undefined) return byCommits
  // No commit is known. With two different stamps they are two directories, and an address proves nothing.
  if (known.stamp !== undefined && seen.stamp !== undefined) return 'other'
  // Path and address are all that is left: enough for a repository that got its first commit, not for one that came from elsewhere.
  return isSameRemote === true || (known.remotes.length === 0 && seen.remotes.length === 0) ? 'same' : 'other'
}

/**
 * Whether the sessions of a project, kept before locations were, were sessions of the repository that is here now. Only what they
 * say is known, and a remote may have been changed since: a commit outweighs a different address.
 */
export function compareWithSessions(
  places: readonly Pick<Place, 'remote' | 'head'>[],
  seen: Seen,
  commits: CommitAnswer,
): Sameness {
  const remotes = places.flatMap(({ remote }) => remote ?? [])
  const heads = places.flatMap(({ head }) => head ?? [])
  if (!seen.hasGit) return heads.length === 0 ? 'same' : 'other'
  const [now] = seen.remotes
  const isNamesake = remotes.length === 0 || (now !== undefined && remotes.includes(now))
  return compareCommits(heads, commits) ?? (isNamesake ? 'same' : 'other')
}

/** What a project id is made of at the first sight of a repository: where it is, and the best there is to tell it by. */
export function identityText({ location, remotes, stamp }: RepositoryFacts, machineId: string): string {
  const [remote] = remotes
  return remote === undefined
    ? ['project', location, 'machine', machineId, stamp ?? ''].join('\0')
    : ['project', location, 'remote', remote].join('\0')
}
