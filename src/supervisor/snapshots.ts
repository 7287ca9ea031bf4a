import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { HoldfastError } from '../core/errors.ts'

/** What is not the work: the records of tasks, which change at every step, and the stop file. */
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
  /** A folder of the run's own, outside the repository. */
  readonly dir: string
  readonly env: NodeJS.ProcessEnv
}

function plainEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')))
}

/**
 * The working tree as it was at a moment, by git's own means and without a trace in the repository: index and objects lie
 * in a folder of the run, and the repository's objects are only read.
 */
export class Snapshots {
  readonly #root: string
  readonly #dir: string
  readonly #env: NodeJS.ProcessEnv

  private constructor({ root, dir, env }: SnapshotOptions, objects: string) {
    this.#root = root
    this.#dir = dir
    this.#env = {
      ...plainEnv(env),
      GIT_OBJECT_DIRECTORY: join(dir, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      LC_ALL: 'C',
    }
  }

  /** Undefined where there is no git, or no repository. */
  static async open(options: SnapshotOptions): Promise<Snapshots | undefined> {
    const { root, dir, env } = options
    try {
      const paths = await run(root, ['rev-parse', '--git-path', 'objects', '--git-path', 'index'], plainEnv(env))
      const [objects = '', index = ''] = paths.toString('utf8').trim().split('\n')
      mkdirSync(join(dir, 'objects'), { recursive: true, mode: 0o700 })
      // With what git knows about unchanged files, so that not every one is read again.
      if (existsSync(resolve(root, index))) copyFileSync(resolve(root, index), join(dir, 'index'))
      const snapshots = new Snapshots(options, resolve(root, objects))
      // One that is split leans on a file of the repository's, which goes when that is split anew.
      await snapshots.#git(['update-index', '--no-split-index'])
      await snapshots.#git(['rm', '-r', '-q', '--cached', '--ignore-unmatch', '--', ...NOT_THE_WORK])
      return snapshots
    } catch {
      // Said once by the caller: without git there are no diffs and no way back.
      return undefined
    }
  }

  #git(
    args: readonly string[],
    { index = 'index', ...options }: GitOptions & { index?: string } = {},
  ): Promise<Buffer> {
    return run(this.#root, args, { ...this.#env, GIT_INDEX_FILE: join(this.#dir, index) }, options)
  }

  /** Identifies everything that is not ignored and that git takes, tasks left out. */
  async take(): Promise<string> {
    // It says 1 where it passed something over: generators leave repositories without a commit inside this one.
    await this.#git(['add', '--all', '--ignore-errors', '--', '.', ...EXCLUDED], { alsoGood: 1 })
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

  /** Puts the files of the working tree back as they were in `tree`, except those named. HEAD and the index stay. */
  async restore(tree: string, except: readonly string[]): Promise<readonly TreeChange[]> {
    const kept = new Set(except)
    const changes = (await this.changes(await this.take(), tree)).filter(({ path }) => !kept.has(path))
    await this.#git(['read-tree', tree], { index: 'restore-index' })
    // First what was not there: a folder may stand where a file belongs, and the other way round.
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

interface GitOptions {
  readonly input?: string
  /** A status besides 0 that is no failure. */
  readonly alsoGood?: number
}

function run(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', alsoGood }: GitOptions = {},
): Promise<Buffer> {
  const flags = [
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'advice.addEmbeddedRepo=false',
    'core.splitIndex=false',
    // What an agent makes outside of a sparse checkout is its work too; what was never checked out stays marked as that.
    'core.sparseCheckout=false',
  ].flatMap((setting) => ['-c', setting])
  return new Promise((done, refuse) => {
    const child = execFile(
      'git',
      [...flags, ...args],
      { cwd, env, encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, timeout: TIMEOUT_MS },
      (error, stdout, stderr) => {
        if (error === null || (alsoGood !== undefined && error.code === alsoGood)) return done(stdout)
        const said = stderr.toString('utf8').trim().slice(-300)
        refuse(new HoldfastError('conflict', `git ${args[0] ?? ''} failed: ${said}`, { cause: error }))
      },
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
