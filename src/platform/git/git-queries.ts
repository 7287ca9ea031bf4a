import type { CommitLine, GitHistory } from '../../kernel/ports/ports.ts'
import { type GitOptions, runGit, createGit } from './git.ts'
import { OWN_OBJECTS_ONLY } from './own-objects.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { runGitFully } from './git-command.ts'

/** The filters that the effective configuration defines; an attribute that names another filter has no effect. */
async function definedFilters(worktree: string): Promise<ReadonlySet<string>> {
  const args = ['config', '--null', '--name-only', '--get-regexp', String.raw`^filter\.`]
  const { exitStatus, stdout, stderr } = await runGitFully(worktree, args)
  // Exit status 1: there is none.
  if (exitStatus !== 0 && exitStatus !== 1) throw new HoldfastError('conflict', `git config failed: ${stderr.trim()}`)
  const keys = stdout.toString('utf8').split('\0')
  return new Set(keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))))
}

/**
 * Which of these paths (as git writes them) are filtered between the work tree and the repository, as by Git LFS or
 * git-crypt. Holdfast runs no filter, so it has only the content on disk, which is not what a commit would hold.
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
  // Triples of path, attribute and value, as bytes: a name need not be valid text.
  const fields = stdout.toString('latin1').split('\0')
  const filtered = new Set(
    fields.filter((_, n) => n % 3 === 0 && defined.has(Buffer.from(fields[n + 2] ?? '', 'latin1').toString('utf8'))),
  )
  return { isFiltered: (path) => filtered.has(path.toString('latin1')) }
}

/** Walking the whole history of a large repository takes seconds; this runs in the background. */
const TIMEOUT_MS = 20_000

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/**
 * The oldest commit without a parent; undefined before the first commit, in a shallow clone, when git does not answer, and when the
 * commit is not among the repository's own objects.
 */
export async function readRootCommit(worktree: string): Promise<string | undefined> {
  const shallow = await runGit(worktree, ['rev-parse', '--is-shallow-repository'])
  if (shallow?.exitStatus !== 0 || shallow.stdout.trim() !== 'false') return undefined
  const roots = await runGit(worktree, ['rev-list', '--max-parents=0', 'HEAD'], {
    timeoutMs: TIMEOUT_MS,
    settings: OWN_OBJECTS_ONLY,
  })
  const oldest = roots?.exitStatus === 0 ? roots.stdout.trim().split('\n').at(-1) : undefined
  if (oldest === undefined || !COMMIT.test(oldest)) return undefined
  return (await createGit().heldCommits(worktree, [oldest]))?.has(oldest) === true ? oldest : undefined
}

const MAX_NAMES = 60
const FIELDS = '%h%x1f%cI%x1f%s'

function parseCommit(line: string): readonly CommitLine[] {
  const [id, at, ...subject] = line.split('\u001f')
  if (id === undefined || id === '' || at === undefined) return []
  return [{ id, at: new Date(at).toISOString(), subject: subject.join(' ') }]
}

/** A file name as a literal pathspec. */
function anywhere(baseName: string): string {
  return `:(glob)**/${baseName.replace(/[\\*?[\]]/g, String.raw`\$&`)}`
}

export function createGitHistory(options: GitOptions = {}): GitHistory {
  return {
    async log(worktree, count) {
      const args = ['log', `--max-count=${Math.max(1, Math.floor(count))}`, '--no-color', `--format=${FIELDS}`]
      const answer = await runGit(worktree, args, options)
      return answer?.exitStatus === 0 ? answer.stdout.split('\n').flatMap(parseCommit) : undefined
    },

    async filesNamed(worktree, baseNames) {
      const names = baseNames.filter((name) => name !== '' && !/[\0/]/.test(name)).slice(0, MAX_NAMES)
      if (names.length === 0) return []
      const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...names.map(anywhere)]
      const answer = await runGit(worktree, args, options)
      return answer?.exitStatus === 0 ? answer.stdout.split('\0').filter((path) => path !== '') : undefined
    },
  }
}
