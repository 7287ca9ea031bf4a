import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { getErrorMessage } from '../../kernel/errors.ts'
import { systemClock } from '../base/clock.ts'
import { openCheckoutTop, isSpecialFile } from './git-dir.ts'
import { fixedSettings, type GitActor, namedSettings } from './git-settings.ts'
import { onProcessEnd, killGroup } from '../process/process-end.ts'
import { programPath, programSearchPath } from '../process/programs.ts'
import { readdir } from 'node:fs/promises'

// Git opens `.gitignore` and `.gitattributes` of every folder, and nested repositories. Opening a FIFO waits for a
// writer forever. Searching for one before each call costs as much as the call, so the search runs only when git takes long.

const MAX_FOLDERS = 20_000
const OPENED_IN_FOLDER: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes'])
/** Limits repeated searches when git is merely slow. */
const SEARCH_AGAIN_MS = 10_000

/** By checkout. */
const searches = new Map<string, { readonly atMs: number; readonly found: Promise<string | undefined> }>()
const known = new Map<string, string>()

async function listEntries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    // Deleted meanwhile or not readable: git does not read it either.
    return []
  }
}

async function unreadableIn(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name)
  if (OPENED_IN_FOLDER.has(name)) return (await isSpecialFile(path)) ? path : undefined
  if (name !== '.git') return undefined
  const top = await openCheckoutTop(folder)
  return top.kind === 'unreadable' ? top.path : undefined
}

async function search(worktree: string): Promise<string | undefined> {
  const folders = [worktree]
  // Breadth first, and only so many: a checkout may be of any size.
  for (let n = 0; n < folders.length && n < MAX_FOLDERS; n += 1) {
    const folder = folders[n] ?? worktree
    for (const entry of await listEntries(folder)) {
      const path = await unreadableIn(folder, entry.name)
      if (path !== undefined) return path
      if (entry.isDirectory() && entry.name !== '.git' && folders.length < MAX_FOLDERS)
        folders.push(join(folder, entry.name))
    }
  }
  return undefined
}

/** The FIFO or device below `worktree` that a slow git may be blocked on. */
function findStallingFile(worktree: string): Promise<string | undefined> {
  const nowMs = systemClock.monotonicMs()
  const last = searches.get(worktree)
  if (last !== undefined && nowMs - last.atMs < SEARCH_AGAIN_MS) return last.found
  const found = search(worktree).then((path) => {
    if (path !== undefined) known.set(worktree, path)
    return path
  })
  searches.set(worktree, { atMs: nowMs, found })
  return found
}

/** The file that blocked an earlier call, if it still exists. */
async function findKnownStall(worktree: string): Promise<string | undefined> {
  const path = known.get(worktree)
  if (path === undefined || (await isSpecialFile(path))) return path
  known.delete(worktree)
  searches.delete(worktree)
  return undefined
}

export type GitRunOptions = Partial<Omit<GitRequest, 'worktree' | 'args' | 'program' | 'isCut'>>

/** Runs git for commands that write or whose output must be complete. Never throws. */
export function runGitFully(worktree: string, args: readonly string[], options: GitRunOptions = {}): Promise<GitRun> {
  const { timeoutMs = 60_000, maxOutputBytes = 64_000_000, settings = [], ...rest } = options
  // A split index would keep a part of it in the repository.
  const own = rest.scratch === undefined ? settings : ['core.splitIndex=false', ...settings]
  return runGitCommand({ worktree, args, timeoutMs, maxOutputBytes, settings: own, ...rest })
}

export interface GitRun {
  /** -1 when git was not run, did not start, timed out or printed too much. */
  readonly exitStatus: number
  readonly stdout: Buffer
  /** The end of the error output; the reason when git was not run. */
  readonly stderr: string
}

/** A separate index and object folder; the repository's own stay unchanged. */
export interface GitScratch {
  readonly indexFile: string
  readonly objectDir: string
  /** The repository's object folder, read only. */
  readonly alternates: string
}

export interface GitRequest {
  /** The top level of a checkout. */
  readonly worktree: string
  /** A built-in command of git, which no alias can replace, and its arguments. */
  readonly args: readonly string[]
  /** As `name=value`. */
  readonly settings?: readonly string[]
  readonly scratch?: GitScratch
  /** `owner`: the repository's hooks and filters run, as when its owner commits by hand. Defaults to `reader`. */
  readonly actor?: GitActor
  /** The command needs no repository. */
  readonly isOutside?: boolean
  readonly input?: string | Buffer
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** Output after `maxOutputBytes` is dropped and git is killed, instead of failing. */
  readonly isCut?: boolean
  /** Replaces the installed git. */
  readonly program?: string
}

const COMMANDS: ReadonlySet<string> = new Set([
  ...['add', 'apply', 'cat-file', 'check-attr', 'checkout-index', 'commit', 'commit-tree', 'config', 'diff'],
  ...['for-each-ref', 'ls-tree', 'update-ref'],
  ...['diff-tree', 'hash-object', 'init', 'log', 'ls-files', 'merge-base', 'merge-tree', 'read-tree', 'rev-list'],
  ...['rev-parse', 'rm', 'status', 'symbolic-ref', 'update-index', 'worktree', 'write-tree'],
])

/** They reach another computer: only for the owner, who named the remote of `holdfast sync`. */
const OWNER_COMMANDS: ReadonlySet<string> = new Set(['fetch', 'push'])

/** No external diff, no textconv, and no submodules, whose own configuration would apply there. */
const DIFFS = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty']
const SAFE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  diff: DIFFS,
  'diff-tree': DIFFS,
  log: DIFFS,
  status: ['--ignore-submodules=dirty'],
}

const KEPT_ERROR_CHARS = 2_000
const SETTINGS_BYTES = 4_000_000
/** After this long, git may be blocked on a FIFO. */
const LONG_MS = 1_000

function unreadable(path: string): string {
  return `${path} is not a regular file; git was not run in this repository.`
}

/** GIT_DIR and similar variables would redirect every call to one repository, and others name programs to run. Author and committer stay. */
const KEPT_VARIABLE = /^(?!GIT_)|^GIT_(?:AUTHOR|COMMITTER)_/
const KEPT_FOR_OWNER = /^(?!GIT_)|^GIT_(?:AUTHOR|COMMITTER)_|^GIT_SSH/

function buildEnvironment({ worktree, scratch, actor, isOutside = false }: GitRequest): NodeJS.ProcessEnv {
  const isOwner = actor === 'owner'
  const allowed = isOwner ? KEPT_FOR_OWNER : KEPT_VARIABLE
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => allowed.test(name))),
    // The owner's hooks need the owner's programs; git finds its own parts without PATH.
    ...(isOwner
      ? {}
      : {
          PATH: programSearchPath(),
          GIT_OPTIONAL_LOCKS: '0',
          GIT_NO_LAZY_FETCH: '1',
          // No protocol has this name, and the variable overrides every setting. Git before 2.45 does not know the variable above.
          GIT_ALLOW_PROTOCOL: '-',
        }),
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    LC_ALL: 'C',
    // The repository must be here, and its files are these, whatever `core.worktree` says.
    GIT_CEILING_DIRECTORIES: dirname(worktree),
    ...(!isOutside && { GIT_WORK_TREE: worktree }),
    ...(scratch !== undefined && {
      GIT_INDEX_FILE: scratch.indexFile,
      GIT_OBJECT_DIRECTORY: scratch.objectDir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: scratch.alternates,
    }),
  }
}

type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>

/** Runs git with these settings; on timeout it is killed with everything it started. */
function execute(request: GitRequest, program: string, settings: readonly string[]): Promise<GitRun> {
  const { worktree, args, input, timeoutMs, maxOutputBytes, isCut = false, isOutside = false } = request
  const [command = '', ...rest] = args
  const words = [
    '--no-pager',
    ...settings.flatMap((setting) => ['-c', setting]),
    command,
    ...(SAFE_OPTIONS[command] ?? []),
    ...rest,
  ]
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let stderr = ''
    const fail = (reason: string) => resolve({ exitStatus: -1, stdout: Buffer.alloc(0), stderr: reason })
    let child: GitProcess
    try {
      // A separate group, so that killing it also kills its children.
      const detached = process.platform !== 'win32'
      const env = buildEnvironment(request)
      child = spawn(program, words, { cwd: worktree, env, detached, stdio: 'pipe', windowsHide: true })
    } catch (thrown) {
      // The folder's name holds a NUL, is too long, or is below a file.
      return fail(getErrorMessage(thrown))
    }
    const kill = () => killGroup(child.pid)
    const forget = onProcessEnd(kill)
    let isSettled = false
    const settle = (finish: () => void) => {
      // Only once: the pid of an ended process may be reused.
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      clearTimeout(search)
      forget()
      kill()
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      finish()
    }
    const timer = setTimeout(() => settle(() => fail(`git ${command} timed out after ${timeoutMs} ms.`)), timeoutMs)
    const endIfStalled = async () => {
      const path = await findStallingFile(worktree)
      if (path !== undefined) settle(() => fail(unreadable(path)))
    }
    const search = isOutside ? undefined : setTimeout(() => void endIfStalled(), Math.min(LONG_MS, timeoutMs / 2))
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= maxOutputBytes) return
      settle(() =>
        isCut
          ? resolve({ exitStatus: 0, stdout: Buffer.concat(chunks), stderr })
          : fail(`git ${command} printed more than ${maxOutputBytes} bytes.`),
      )
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-KEPT_ERROR_CHARS)
    })
    // Git may end before it has read its input.
    child.stdin.on('error', () => undefined).end(input ?? '')
    child.on('error', (error) => settle(() => fail(error.message)))
    child.on('close', (code) =>
      settle(() => resolve({ exitStatus: code ?? -1, stdout: Buffer.concat(chunks), stderr })),
    )
  })
}

const LIST_KEYS = ['config', '--list', '--null', '--name-only']

/**
 * The keys of the effective configuration of the checkout with its includes, as git itself reads them: a reader of
 * our own could be tricked into reading other files.
 */
async function listKeys(request: GitRequest, program: string, fixed: readonly string[]): Promise<GitKeys> {
  const { worktree, timeoutMs } = request
  const limits = { timeoutMs, maxOutputBytes: SETTINGS_BYTES }
  const listed = await execute({ worktree, args: LIST_KEYS, ...limits }, program, fixed)
  return listed.exitStatus === 0 ? { keys: listed.stdout.toString('utf8').split('\0') } : { keys: [], refused: listed }
}

interface GitKeys {
  readonly keys: readonly string[]
  readonly refused?: GitRun
}

/**
 * The only function that starts git. It runs nothing that a repository configures: see docs/adr/0023. No shell, with a
 * deadline for all its processes. Never throws.
 */
export async function runGitCommand(request: GitRequest): Promise<GitRun> {
  const { worktree, args, actor = 'reader', isOutside = false } = request
  const refuse = (reason: string) => ({ exitStatus: -1, stdout: Buffer.alloc(0), stderr: reason })
  const [command = ''] = args
  const isListed = COMMANDS.has(command) || (actor === 'owner' && OWNER_COMMANDS.has(command))
  if (!isListed) return refuse(`git ${command} is not a command that Holdfast runs.`)
  const program = request.program ?? programPath('git')
  if (program === undefined) return refuse('git is not installed.')
  const fixed = [...fixedSettings(actor), ...(request.settings ?? [])]
  if (isOutside) return execute(request, program, fixed)
  try {
    // The ceiling variable below is a list with this separator: git would search above it.
    if (process.platform !== 'win32' && worktree.includes(':'))
      return refuse(`${worktree} has a colon in its path; git was not run in this repository.`)
    const top = await openCheckoutTop(worktree)
    if (top.kind === 'none') return refuse(`${worktree} is not the top of a git checkout.`)
    if (top.kind === 'unreadable') return refuse(unreadable(top.path))
    const stall = await findKnownStall(worktree)
    if (stall !== undefined) return refuse(unreadable(stall))
    if (actor === 'owner') return await execute(request, program, fixed)
    const startedMs = systemClock.monotonicMs()
    const { keys, refused } = await listKeys(request, program, fixed)
    if (refused !== undefined) return refused
    const timeoutMs = Math.max(1, request.timeoutMs - (systemClock.monotonicMs() - startedMs))
    return await execute({ ...request, timeoutMs }, program, [...fixed, ...namedSettings(keys)])
  } catch (thrown) {
    return refuse(`git was not run in ${worktree}: ${getErrorMessage(thrown)}.`)
  }
}
