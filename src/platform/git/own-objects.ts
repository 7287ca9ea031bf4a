import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitRequest, runGitCommand } from './git-command.ts'
import { type Checkout, openCheckoutTop } from './git-dir.ts'

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Settings that disable replaced objects, commit-graph files and packs outside the repository. */
export const OWN_OBJECTS_ONLY: readonly string[] = [
  'core.useReplaceRefs=false',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
]

type EntryKind = 'none' | 'link' | 'other'

async function getKind(path: string): Promise<EntryKind> {
  try {
    return (await lstat(path)).isSymbolicLink() ? 'link' : 'other'
  } catch {
    // Missing or not accessible: git does not read it either.
    return 'none'
  }
}

async function isLink(path: string): Promise<boolean> {
  return (await getKind(path)) === 'link'
}

async function holdsLink(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder, { withFileTypes: true })).some((entry) => entry.isSymbolicLink())
  } catch {
    // Missing or not accessible: git does not read it either.
    return false
  }
}

/** Whether git reads objects from a store that may belong to another repository. */
export async function borrowsObjects({ commonDir }: Pick<Checkout, 'commonDir'>): Promise<boolean> {
  const objects = join(commonDir, 'objects')
  if ((await getKind(join(objects, 'info', 'alternates'))) !== 'none') return true
  return (await isLink(objects)) || (await isLink(join(objects, 'pack')))
}

/** Whether the loose object file of the commit is reached through a link. */
async function isLinked({ commonDir }: Checkout, commit: string): Promise<boolean> {
  const folder = join(commonDir, 'objects', commit.slice(0, 2))
  return (await isLink(folder)) || (await isLink(join(folder, commit.slice(2))))
}

function hashCommit(commit: string, content: Buffer): string {
  const hash = createHash(commit.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`commit ${content.length}\0`).update(content).digest('hex')
}

/** The commits in the output of `cat-file --batch` whose content has the requested id. */
function commitsIn(answer: Buffer): readonly string[] {
  const found: string[] = []
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf('\n', at)
    if (end === -1) break
    const [id = '', kind = '', length = ''] = answer.toString('latin1', at, end).split(' ')
    at = end + 1
    if (!/^\d+$/.test(length)) continue
    const content = answer.subarray(at, at + Number(length))
    if (kind === 'commit' && hashCommit(id, content) === id) found.push(id)
    at += Number(length) + 1
  }
  return found
}

/**
 * Which of the commits are among the repository's own objects. Anyone can name a commit in a file and make git read objects
 * from another repository's store, which proves nothing, so for such a repository the result is empty. Undefined when git
 * does not answer.
 */
export async function heldCommits(
  worktree: string,
  commits: readonly string[],
  options: Pick<GitRequest, 'timeoutMs' | 'maxOutputBytes'> & Partial<Pick<GitRequest, 'program' | 'settings'>>,
): Promise<ReadonlySet<string> | undefined> {
  const asked = [...new Set(commits)].filter((commit) => COMMIT.test(commit))
  const top = await openCheckoutTop(worktree)
  if (top.kind !== 'checkout') return undefined
  const { checkout } = top
  if (asked.length === 0 || (await borrowsObjects(checkout))) return new Set()
  if (await holdsLink(join(checkout.commonDir, 'objects', 'pack'))) return new Set()
  const { exitStatus, stdout } = await runGitCommand({
    ...options,
    worktree,
    args: ['cat-file', '--batch'],
    settings: [...(options.settings ?? []), ...OWN_OBJECTS_ONLY],
    input: `${asked.join('\n')}\n`,
  })
  if (exitStatus !== 0) return undefined
  const held = new Set<string>()
  for (const commit of commitsIn(stdout)) if (!(await isLinked(checkout, commit))) held.add(commit)
  return held
}
