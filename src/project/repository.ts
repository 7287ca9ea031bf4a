import type { KnownLocation, RepositoryFacts, Location } from '../kernel/location.ts'
import type { Git } from '../kernel/ports/ports.ts'

interface CommitQuestion {
  readonly place: Pick<Location, 'worktree'>
  readonly commits: readonly string[]
}

/** Whether the repository at a location has one of these commits. Its files are not enough: a HEAD can name any commit. */
async function findKnownCommits(
  git: Pick<Git, 'heldCommits'>,
  { place: { worktree }, commits }: CommitQuestion,
): Promise<CommitAnswer> {
  const held = await git.heldCommits(worktree, commits)
  if (held === undefined) return 'unknown'
  return commits.some((commit) => held.has(commit)) ? 'has-one' : 'has-none'
}

/** Compares without git first, which is slow to start. */
export async function compareWithGit(
  git: Pick<Git, 'heldCommits'>,
  question: CommitQuestion,
  compare: (answer: CommitAnswer) => Sameness,
): Promise<Sameness> {
  const withoutGit = compare('unknown')
  return withoutGit === 'unknown' ? compare(await findKnownCommits(git, question)) : withoutGit
}

/** Whether the repository has a known commit among its own objects. */
export type CommitAnswer = 'has-one' | 'has-none' | 'unknown'

export type Sameness = 'same' | 'other' | 'unknown'

type KnownRepository = Pick<KnownLocation, 'remotes' | 'stamp' | 'rootCommit' | 'commits'>
type SeenRepository = Pick<RepositoryFacts, 'hasGit' | 'remotes' | 'stamp'>

export function knownCommits({
  commits,
  rootCommit,
}: Pick<KnownRepository, 'commits' | 'rootCommit'>): readonly string[] {
  return rootCommit === undefined ? commits : [...commits, rootCommit]
}

export function isSameDirectory(known: Pick<KnownRepository, 'stamp'>, seen: Pick<SeenRepository, 'stamp'>): boolean {
  return known.stamp !== undefined && known.stamp === seen.stamp
}

/** Whether the first remotes are equal; undefined if one side has none. */
function haveSameRemote(known: readonly string[], seen: readonly string[]): boolean | undefined {
  const [formerly, now] = [known[0], seen[0]]
  return formerly === undefined || now === undefined ? undefined : formerly === now
}

/** By commits only; undefined if none is known. */
function compareCommits(commits: readonly string[], answer: CommitAnswer): Sameness | undefined {
  if (commits.length === 0) return undefined
  return answer === 'has-one' ? 'same' : answer === 'has-none' ? 'other' : 'unknown'
}

/**
 * As `compareRepositories`, for rows of another machine: stamps and paths mean nothing there.
 * Anyone can configure a remote, so only a commit proves anything.
 */
export function compareAcrossMachines(known: KnownRepository, seen: SeenRepository, commits: CommitAnswer): Sameness {
  if (haveSameRemote(known.remotes, seen.remotes) === false) return 'other'
  return compareCommits(knownCommits(known), commits) ?? 'other'
}

/**
 * Whether the repository at a location is the known one. The same directory is the same repository, whatever was
 * done to it: remotes are added and change, histories are rewritten. Another directory at the path is the same one if it has a
 * known commit and no other remote. A shallow clone, or one with alternates, cannot always prove that, and is
 * another one then. `unknown`: git did not answer, so neither is concluded.
 */
export function compareRepositories(known: KnownRepository, seen: SeenRepository, commits: CommitAnswer): Sameness {
  if (!seen.hasGit || isSameDirectory(known, seen)) return 'same'
  const isSameRemote = haveSameRemote(known.remotes, seen.remotes)
  if (isSameRemote === false) return 'other'
  const byCommits = compareCommits(knownCommits(known), commits)
  if (byCommits !== undefined) return byCommits
  // No commit is known. Two different stamps are two directories, and a remote proves nothing.
  if (known.stamp !== undefined && seen.stamp !== undefined) return 'other'
  // Only path and remote are left: enough for a repository that got its first commit, not for one from elsewhere.
  return isSameRemote === true || (known.remotes.length === 0 && seen.remotes.length === 0) ? 'same' : 'other'
}

/**
 * Whether sessions that are older than stored locations belong to the repository that is here now. Only their own fields
 * are known, and a remote may have changed since: a commit outweighs a different remote.
 */
export function compareWithSessions(
  places: readonly Pick<Location, 'remote' | 'head'>[],
  seen: SeenRepository,
  commits: CommitAnswer,
): Sameness {
  const remotes = places.flatMap(({ remote }) => remote ?? [])
  const heads = places.flatMap(({ head }) => head ?? [])
  if (!seen.hasGit) return heads.length === 0 ? 'same' : 'other'
  const [now] = seen.remotes
  const isNamesake = remotes.length === 0 || (now !== undefined && remotes.includes(now))
  return compareCommits(heads, commits) ?? (isNamesake ? 'same' : 'other')
}

/** Input of a new project id: the location, and what identifies the repository best. */
export function identityText({ location, remotes, stamp }: RepositoryFacts, machineId: string): string {
  const [remote] = remotes
  return remote === undefined
    ? ['project', location, 'machine', machineId, stamp ?? ''].join('\0')
    : ['project', location, 'remote', remote].join('\0')
}
