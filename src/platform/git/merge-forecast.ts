import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { type GitScratch, runGitFully } from './git-command.ts'
import { findFiltered } from './git-queries.ts'

/** Pairs grow with the square; each costs one run of git. */
const MAX_WORKTREES = 20
/** `commit-tree` needs a name; the commit exists only in a temporary folder. */
const NAMED = ['user.name=holdfast', 'user.email=holdfast@localhost']

export interface ForecastWorktree {
  readonly path: string
  /** Absent when HEAD is detached. */
  readonly branch?: string
  readonly commit: string
  readonly hasUncommitted: boolean
}

export interface MergeForecast {
  readonly worktrees: readonly ForecastWorktree[]
  /** More worktrees than are compared. */
  readonly left: number
  /** Every pair that would not merge cleanly, by the paths of the worktrees. */
  readonly conflicts: readonly { readonly between: readonly [string, string]; readonly files: readonly string[] }[]
}

type ComparedCheckout = Omit<ForecastWorktree, 'hasUncommitted'>

async function run(worktree: string, args: readonly string[], options: { scratch?: GitScratch; input?: Buffer } = {}) {
  const { exitStatus, stdout, stderr } = await runGitFully(worktree, args, { ...options, settings: NAMED })
  return { exitStatus, stdout, stderr }
}

async function read(...call: Parameters<typeof run>): Promise<Buffer> {
  const { exitStatus, stdout, stderr } = await run(...call)
  if (exitStatus === 0) return stdout
  throw new HoldfastError('conflict', `git ${call[1][0] ?? ''} failed: ${stderr.trim().slice(-300)}`)
}

async function listCheckouts(worktree: string): Promise<readonly ComparedCheckout[]> {
  const listed = (await read(worktree, ['worktree', 'list', '--porcelain', '-z'])).toString('utf8')
  return listed.split('\0\0').flatMap((entry) => {
    const fields = new Map(
      entry.split('\0').map((line) => {
        const [name = '', ...rest] = line.split(' ')
        return [name, rest.join(' ')]
      }),
    )
    const [path, commit] = [fields.get('worktree'), fields.get('HEAD')]
    // A bare repository has no files, and a worktree that was deleted by hand is listed until it is pruned.
    if (path === undefined || commit === undefined || /^0+$/.test(commit) || !existsSync(path)) return []
    const branch = fields.get('branch')?.replace(/^refs\/heads\//, '')
    return [{ path, commit, ...(branch !== undefined && { branch }) }]
  })
}

/** A commit of what is on disk now, ignored files apart. Only the scratch folder is written to. */
async function commitFiles({ path, commit }: ComparedCheckout, scratch: GitScratch): Promise<string> {
  const names = Buffer.concat([
    await read(path, ['diff', '--name-only', '--no-renames', '-z', 'HEAD']),
    await read(path, ['ls-files', '--others', '--exclude-standard', '-z']),
  ])
  // As bytes: a name need not be valid text. A name with a slash at its end is a repository inside this one.
  const changed = names
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '' && !name.endsWith('/'))
    .map((name) => Buffer.from(name, 'latin1'))
  if (changed.length === 0) return commit
  const { isFiltered } = await findFiltered(path, changed)
  const input = Buffer.concat(changed.filter((name) => !isFiltered(name)).flatMap((name) => [name, Buffer.from([0])]))
  await read(path, ['read-tree', 'HEAD'], { scratch })
  await read(path, ['update-index', '--add', '--remove', '-z', '--stdin'], { scratch, input })
  const tree = (await read(path, ['write-tree'], { scratch })).toString('utf8').trim()
  return (await read(path, ['commit-tree', tree, '-p', commit, '-m', 'files'], { scratch })).toString('utf8').trim()
}

/**
 * What would conflict if the worktrees of a repository were merged as they are on disk, uncommitted and untracked files included.
 * `dir` is written to and can be deleted afterwards; the repository itself is only read. Files under a filter (Git LFS, git-crypt) count as they were committed.
 */
export async function forecastMerges(worktree: string, dir: string): Promise<MergeForecast> {
  const all = await listCheckouts(worktree)
  const compared = all.slice(0, MAX_WORKTREES)
  const objects = (await read(worktree, ['rev-parse', '--git-path', 'objects'])).toString('utf8').trim()
  mkdirSync(join(dir, 'objects'))
  const scratch = { objectDir: join(dir, 'objects'), alternates: resolve(worktree, objects) }
  const heads: string[] = []
  for (const [n, checkout] of compared.entries()) {
    heads.push(await commitFiles(checkout, { ...scratch, indexFile: join(dir, `index-${n}`) }))
  }
  const conflicts: { between: [string, string]; files: readonly string[] }[] = []
  for (const [n, { path }] of compared.entries()) {
    for (const [m, other] of compared.entries()) {
      const [ours = '', theirs = ''] = [heads[n], heads[m]]
      if (m <= n || ours === theirs) continue
      const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]
      const merged = await run(worktree, args, { scratch: { ...scratch, indexFile: join(dir, 'index') } })
      // Such as a branch for generated pages: it is never merged.
      if (merged.stderr.includes('unrelated histories')) continue
      // 1: with conflicts.
      if (merged.exitStatus !== 0 && merged.exitStatus !== 1)
        throw new HoldfastError('conflict', `git merge-tree failed: ${merged.stderr.trim().slice(-300)}`, {
          hint: 'It needs git 2.38 or newer.',
        })
      const [, ...files] = merged.stdout.toString('utf8').split('\0')
      if (merged.exitStatus === 1)
        conflicts.push({ between: [path, other.path], files: files.filter((file) => file !== '') })
    }
  }
  return {
    worktrees: compared.map((checkout, n) => ({ ...checkout, hasUncommitted: heads[n] !== checkout.commit })),
    left: all.length - compared.length,
    conflicts,
  }
}
