import { HoldfastError } from '../../kernel/errors.ts'
import { runGitFully } from './git-write.ts'

/** The names of filters that any configuration in force here defines; an attribute that names another has no effect. */
async function definedFilters(worktree: string): Promise<ReadonlySet<string>> {
  const args = ['config', '--null', '--name-only', '--get-regexp', String.raw`^filter\.`]
  const { exitStatus, stdout, stderr } = await runGitFully(worktree, args)
  // 1 says that there is none.
  if (exitStatus !== 0 && exitStatus !== 1) throw new HoldfastError('conflict', `git config failed: ${stderr.trim()}`)
  const keys = stdout.toString('utf8').split('\0')
  return new Set(keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))))
}

/**
 * Which of these paths (as git writes them) go through a filter between the work tree and the repository, such as Git LFS or
 * git-crypt. No filter runs for Holdfast, so of these it has only what is on the disk, which is not what a commit would hold.
 */
export async function findFiltered(
  worktree: string,
  paths: readonly Buffer[],
): Promise<{ readonly isFiltered: (path: Buffer) => boolean }> {
  const defined = paths.length === 0 ? new Set<string>() : await definedFilters(worktree)
  if (defined.size === 0) return { isFiltered: () => false }
  const input = Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]))
  const { exitStatus, stdout, stderr } = await runGitFully(worktree, ['check-attr', '-z', '--stdin', 'filter'], {
    input,
  })
  if (exitStatus !== 0) throw new HoldfastError('conflict', `git check-attr failed: ${stderr.trim()}`)
  // Triples of path, attribute and value, by bytes: a name need not be text.
  const fields = stdout.toString('latin1').split('\0')
  const filtered = new Set(
    fields.filter((_, n) => n % 3 === 0 && defined.has(Buffer.from(fields[n + 2] ?? '', 'latin1').toString('utf8'))),
  )
  return { isFiltered: (path) => filtered.has(path.toString('latin1')) }
}
