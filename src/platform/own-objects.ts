import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitRequest, runGitCommand } from './git-command.ts'
import { type Checkout, openCheckoutTop } from './git-dir.ts'

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** What can name objects under another id, describe commits that are not there, or list packs outside of the repository. */
export const OWN_OBJECTS_ONLY: readonly string[] = [
  'core.useReplaceRefs=false',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
]

type Kind = 'none' | 'link' | 'other'

async function kindOf(path: string): Promise<Kind> {
  try {
    return (await lstat(path)).isSymbolicLink() ? 'link' : 'other'
  } catch {
    // Not there, or not accessible: git does not read it either.
    return 'none'
  }
}

async function isLink(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'link'
}

async function holdsLink(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder, { withFileTypes: true })).some((entry) => entry.isSymbolicLink())
  } catch {
    // Not there, or not accessible: git does not read it either.
    return false
  }
}

/** Whether git reads objects of this repository from a store that may be another repository's. */
export async function borrowsObjects({ commonDir }: Pick<Checkout, 'commonDir'>): Promise<boolean> {
  const objects = join(commonDir, 'objects')
  if ((await kindOf(join(objects, 'info', 'alternates'))) !== 'none') return true
  return (await isLink(objects)) || (await isLink(join(objects, 'pack')))
}

/** As `borrowsObjects`, for the files as well that this commit can be read from. */
async function borrowsCommit(checkout: Checkout, commit: string): Promise<boolean> {
  const objects = join(checkout.commonDir, 'objects')
  const folder = join(objects, commit.slice(0, 2))
  if ((await borrowsObjects(checkout)) || (await isLink(folder))) return true
  return (await isLink(join(folder, commit.slice(2)))) || (await holdsLink(join(objects, 'pack')))
}

/** Whether this is the answer of `cat-file --batch` to a commit that is there, and its content has the id that was asked for. */
function isContentOf(commit: string, answer: Buffer): boolean {
  const end = answer.indexOf('\n')
  const size = Number(
    new RegExp(`^${commit} commit (\\d+)$`).exec(answer.toString('latin1', 0, end))?.[1] ?? Number.NaN,
  )
  if (Number.isNaN(size)) return false
  const hash = createHash(commit.length === 40 ? 'sha1' : 'sha256')
  hash.update(`commit ${size}\0`).update(answer.subarray(end + 1, end + 1 + size))
  return hash.digest('hex') === commit
}

/**
 * Whether the repository has the commit among its own objects. Anybody can name a commit in a file, and can make git read objects
 * from another repository's store; that proves nothing, so a repository that does so holds no commit here. Undefined when git
 * does not answer.
 */
export async function holdsCommit(
  worktree: string,
  commit: string,
  options: Pick<GitRequest, 'timeoutMs' | 'maxOutputBytes'> & Partial<Pick<GitRequest, 'program' | 'settings'>>,
): Promise<boolean | undefined> {
  if (!COMMIT.test(commit)) return false
  const top = await openCheckoutTop(worktree)
  if (top.kind !== 'checkout') return undefined
  if (await borrowsCommit(top.checkout, commit)) return false
  const { exitStatus, stdout } = await runGitCommand({
    ...options,
    worktree,
    args: ['cat-file', '--batch'],
    settings: [...(options.settings ?? []), ...OWN_OBJECTS_ONLY],
    input: `${commit}\n`,
  })
  return exitStatus === 0 ? isContentOf(commit, stdout) : undefined
}
