import type { Git } from '../ports.ts'
import type { Place } from '../project.ts'
import type { CommitAnswer, RepositoryFacts, Sameness } from './repository.ts'

interface Question {
  readonly place: Pick<Place, 'worktree'>
  readonly repository: Pick<RepositoryFacts, 'head' | 'isShallow'>
  /** Those that were known before. */
  readonly commits: readonly string[]
}

/** Whether the repository at a place has one of these commits. What its files say is not enough: a HEAD can name any commit. */
async function askForCommits(
  git: Pick<Git, 'hasCommit'>,
  { place: { worktree }, repository: { head, isShallow = false }, commits }: Question,
): Promise<CommitAnswer> {
  let answer: CommitAnswer = 'has-none'
  for (const commit of new Set(commits)) {
    const hasIt = await git.hasCommit(worktree, commit)
    if (hasIt === true) return 'has-one'
    if (hasIt === undefined) answer = 'unknown'
  }
  if (answer === 'unknown' || !isShallow || head === undefined) return answer
  const hasHead = await git.hasCommit(worktree, head)
  return hasHead === undefined ? 'unknown' : hasHead ? 'cut-off' : 'has-none'
}

/** Compares without git first: starting it is worth it only where nothing else tells. */
export async function compareWithGit(
  git: Pick<Git, 'hasCommit'>,
  question: Question,
  compare: (answer: CommitAnswer) => Sameness,
): Promise<Sameness> {
  const withoutGit = compare('unknown')
  return withoutGit === 'unknown' ? compare(await askForCommits(git, question)) : withoutGit
}
