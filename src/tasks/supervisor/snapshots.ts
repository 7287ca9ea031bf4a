import { copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { findFiltered } from '../../platform/git/git-queries.ts'
import { type GitRunOptions, runGitFully } from '../../platform/git/git-command.ts'

/** Not work: task records, which change at every step, and the stop file. */
const NOT_THE_WORK = ['tasks', '.agentic-governance/STOP']
const EXCLUDED = NOT_THE_WORK.map((path) => `:(top,exclude,literal)${path}`)
const MAX_OUTPUT_BYTES = 256_000_000
const TIMEOUT_MS = 120_000

export interface TreeChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
}

export interface SnapshotOptions {
  /** The checkout's top. */
  readonly root: string
  /** The run's folder, outside the repository. */
  readonly dir: string
}

const SETTINGS = [
  'advice.addEmbeddedRepo=false',
  // Files that the agent creates outside a sparse checkout count too; files never checked out stay skipped.
  'core.sparseCheckout=false',
]

interface SnapshotGitOptions extends Pick<GitRunOptions, 'input' | 'scratch'> {
  /** A further successful exit status. */
  readonly alsoGood?: number
}

async function run(root: string, args: readonly string[], { alsoGood = 0, ...options }: SnapshotGitOptions = {}) {
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES }
  const { exitStatus, stdout, stderr } = await runGitFully(root, args, { ...options, ...limits, settings: SETTINGS })
  if (exitStatus === 0 || exitStatus === alsoGood) return stdout
  throw new HoldfastError('conflict', `git ${args[0] ?? ''} failed: ${stderr.trim().slice(-300)}`)
}

/** Names as git lists them with `-z`: bytes, not necessarily UTF-8. */
function namesIn(listed: Buffer): readonly string[] {
  return listed
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '')
}

function asInput(names: readonly string[]): Buffer {
  return Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1')
}

/** Snapshots of the working tree as git trees. Index and objects are in the run's folder; the repository is only read. */
export class Snapshots {
  readonly #root: string
  readonly #dir: string
  readonly #objects: string

  private constructor({ root, dir }: SnapshotOptions, objects: string) {
    this.#root = root
    this.#dir = dir
    this.#objects = objects
  }

  /** Undefined without git or a repository. */
  static async open(options: SnapshotOptions): Promise<Snapshots | undefined> {
    const { root, dir } = options
    try {
      const paths = await run(root, ['rev-parse', '--git-path', 'objects', '--git-path', 'index'])
      const [objects = '', index = ''] = paths.toString('utf8').trim().split('\n')
      mkdirSync(join(dir, 'objects'), { recursive: true, mode: 0o700 })
      // A copy of the index, so that unchanged files are not read again.
      if (existsSync(resolve(root, index))) copyFileSync(resolve(root, index), join(dir, 'index'))
      const snapshots = new Snapshots(options, resolve(root, objects))
      // A split index depends on a file of the repository that git may replace.
      await snapshots.#git(['update-index', '--no-split-index'])
      // Forced, so that git does not check a submodule of that name for changes.
      await snapshots.#git(['rm', '-r', '-q', '-f', '--cached', '--ignore-unmatch', '--', ...NOT_THE_WORK])
      await snapshots.#takeFilteredAsTheyAre()
      return snapshots
    } catch {
      // The caller reports that there are no diffs and no rollback.
      return undefined
    }
  }

  #git(
    args: readonly string[],
    { index = 'index', ...options }: SnapshotGitOptions & { index?: string } = {},
  ): Promise<Buffer> {
    const scratch = {
      indexFile: join(this.#dir, index),
      objectDir: join(this.#dir, 'objects'),
      alternates: this.#objects,
    }
    return run(this.#root, args, { ...options, scratch })
  }

  /** No filter runs here, so the index has to hold the bytes on disk instead of the filtered ones. */
  async #takeFilteredAsTheyAre(): Promise<void> {
    const names = namesIn(await this.#git(['ls-files', '-z']))
    const { isFiltered } = await findFiltered(
      this.#root,
      names.map((name) => Buffer.from(name, 'latin1')),
    )
    const filtered = names.filter((name) => isFiltered(Buffer.from(name, 'latin1')))
    if (filtered.length === 0) return
    await this.#git(['update-index', '--force-remove', '-z', '--stdin'], { input: asInput(filtered) })
    const there = filtered.filter((name) =>
      existsSync(Buffer.concat([Buffer.from(`${this.#root}/`), Buffer.from(name, 'latin1')])),
    )
    await this.#git(['update-index', '--add', '-z', '--stdin'], { input: asInput(there) })
  }

  /**
   * Records the commits of submodules without running git in them with their own configuration, as `git add` would. Returns
   * pathspecs that exclude them from `git add`.
   */
  async #takeSubmodules(): Promise<readonly string[]> {
    const listed = namesIn(await this.#git(['ls-files', '-z', '--stage']))
    const names = listed
      .filter((entry) => entry.startsWith('160000 '))
      .map((entry) => entry.slice(entry.indexOf('\t') + 1))
    if (names.length === 0) return []
    // 128: a submodule is missing or empty and stays unchanged.
    await this.#git(['update-index', '-q', '--ignore-missing', '-z', '--stdin'], {
      input: asInput(names),
      alsoGood: 128,
    })
    return names.map((name) => `:(top,exclude,literal)${name}`)
  }

  /** Returns the id of a tree with everything that is not ignored, without tasks. */
  async take(): Promise<string> {
    const submodules = await this.#takeSubmodules()
    // 1: git skipped something, such as a nested repository without a commit.
    // By stdin, because Node passes arguments as UTF-8 and a name may not be.
    await this.#git(['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], {
      input: asInput(['.', ...EXCLUDED, ...submodules]),
      alsoGood: 1,
    })
    return (await this.#git(['write-tree'])).toString('utf8').trim()
  }

  async changes(from: string, to: string): Promise<readonly TreeChange[]> {
    const fields = (await this.#git(['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to]))
      .toString('utf8')
      .split('\0')
    const changes: TreeChange[] = []
    for (let n = 0; n + 1 < fields.length; n += 2) {
      const change = fields[n] === 'A' ? 'created' : fields[n] === 'D' ? 'deleted' : 'modified'
      changes.push({ path: fields[n + 1] ?? '', change })
    }
    return changes
  }

  /** Restores the files of the working tree to `tree`, except those named. HEAD and the index stay. */
  async restore(tree: string, except: readonly string[]): Promise<readonly TreeChange[]> {
    const excluded = new Set(except)
    const changes = (await this.changes(await this.take(), tree)).filter(({ path }) => !excluded.has(path))
    await this.#git(['read-tree', tree], { index: 'restore-index' })
    // Deletions first: a folder may be where a file belongs, and the other way round.
    for (const { path, change } of changes) if (change === 'deleted') this.#remove(path)
    const back = changes.filter(({ change }) => change !== 'deleted').map(({ path }) => `${path}\0`)
    await this.#git(['checkout-index', '-f', '-q', '-z', '--stdin'], { index: 'restore-index', input: back.join('') })
    return changes
  }

  #remove(path: string): void {
    const full = join(this.#root, path)
    const facts = lstatSync(full, { throwIfNoEntry: false })
    if (facts === undefined || facts.isDirectory()) return
    const parent = realpathSync(dirname(full))
    const root = realpathSync(this.#root)
    if (parent !== root && !parent.startsWith(root + sep)) return
    unlinkSync(full)
  }

  /** Writes the files of `tree` into an empty folder elsewhere. */
  async copyTo(tree: string, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await this.#git(['read-tree', tree], { index: 'copy-index' })
    await this.#git(['checkout-index', '-a', '-q', `--prefix=${folder}${sep}`], { index: 'copy-index' })
  }
}
