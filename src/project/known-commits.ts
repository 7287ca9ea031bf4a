import type { Git } from '../kernel/ports/ports.ts'
import type { Place } from '../kernel/project.ts'
import type { CommitAnswer, Sameness } from './repository.ts'

interface Question {
  readonly place: Pick<Place, 'worktree'>
  /** Those that were known before. */
  readonly commits: readonly string[]
}

/** Whether the repository at a place holds one of these commits. What its files say is not enough: a HEAD can name any commit. */
async function askForCommits(
  git: Pick<Git, 'heldCommits'>,
  { place: { worktree }, commits }: Question,
): Promise<CommitAnswer> {
  const held = await git.heldCommits(worktree, commits)
  if (held === undefined) return 'unknown'
  return commits.some((commit) => held.has(commit)) ? 'has-one' : 'has-none'
}

/** Compares without git first: starting it is worth it only where nothing else tells. */
export async function compareWithGit(
  git: Pick<Git, 'heldCommits'>,
  question: Question,
  compare: (answer: CommitAnswer) => Sameness,
): Promise<Sameness> {
  const withoutGit = compare('unknown')
  return withoutGit === 'unknown' ? compare(await askForCommits(git, question)) : withoutGit
}
