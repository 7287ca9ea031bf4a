import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { messageOf } from '../../kernel/errors.ts'
import { systemClock } from '../base/clock.ts'
import { openCheckoutTop } from './git-dir.ts'
import { findKnownStall, findStallingFile } from './git-stall.ts'
import { fixedSettings, type GitActor, namedSettings } from './git-settings.ts'
import { onProcessEnd } from '../process/process-end.ts'
import { killGroup } from '../process/process-group.ts'
import { programPath, programSearchPath } from '../process/programs.ts'

export interface GitRun {
  /** -1 where git was not asked, did not start, did not end in time or said too much. */
  readonly exitStatus: number
  readonly stdout: Buffer
  /** The end of it, for a person; where git was not asked, the reason. */
  readonly stderr: string
}

/** An index and a place for objects apart from the repository's, which stay as they are. */
export interface GitScratch {
  readonly indexFile: string
  readonly objectDir: string
  /** The repository's own objects, to read from. */
  readonly alternates: string
}

export interface GitRequest {
  /** The top of a checkout. */
  readonly worktree: string
  /** A command of git's own first, which no alias can replace, then its arguments. */
  readonly args: readonly string[]
  /** As `name=value`. */
  readonly settings?: readonly string[]
  readonly scratch?: GitScratch
  /** `owner`: the repository's hooks and filters run, as when its owner commits by hand. `reader` unless given. */
  readonly actor?: GitActor
  /** The command needs no repository; none is looked for. */
  readonly isOutside?: boolean
  readonly input?: string | Buffer
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** What comes after `maxOutputBytes` is dropped and git is ended, instead of the whole answer being refused. */
  readonly isCut?: boolean
  /** Instead of the git that is installed. */
  readonly program?: string
}

const COMMANDS: ReadonlySet<string> = new Set([
  ...['add', 'apply', 'cat-file', 'check-attr', 'checkout-index', 'commit', 'config', 'diff', 'diff-tree'],
  ...['hash-object', 'init', 'log', 'ls-files', 'merge-base', 'read-tree', 'rev-list', 'rev-parse', 'rm', 'status'],
  ...['symbolic-ref', 'update-index', 'write-tree'],
])

/** No external diff, no conversion to text, and no look into submodules, whose own configuration would count there. */
const DIFFS = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty']
const SAFE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  diff: DIFFS,
  'diff-tree': DIFFS,
  log: DIFFS,
  status: ['--ignore-submodules=dirty'],
}

const KEPT_ERROR_CHARS = 2_000
const SETTINGS_BYTES = 4_000_000
/** A git that has taken so long may wait for a FIFO. */
const LONG_MS = 1_000

function unreadable(path: string): string {
  return `${path} is not a regular file; git was not asked about this repository.`
}

/** GIT_DIR and its kin would point every repository at one, and others name programs to run. An author stays one. */
const KEPT_VARIABLE = /^(?!GIT_)|^GIT_(?:AUTHOR|COMMITTER)_/
const KEPT_FOR_OWNER = /^(?!GIT_)|^GIT_(?:AUTHOR|COMMITTER)_|^GIT_SSH/

function environmentOf({ worktree, scratch, actor, isOutside = false }: GitRequest): NodeJS.ProcessEnv {
  const isOwner = actor === 'owner'
  const kept = isOwner ? KEPT_FOR_OWNER : KEPT_VARIABLE
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name))),
    // Hooks of the owner need the programs that the owner has; git itself finds its own parts without.
    ...(isOwner
      ? {}
      : {
          PATH: programSearchPath(),
          GIT_OPTIONAL_LOCKS: '0',
          GIT_NO_LAZY_FETCH: '1',
          // No protocol has this name, and it counts before every setting. Git before 2.45 does not know the variable above.
          GIT_ALLOW_PROTOCOL: '-',
        }),
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    LC_ALL: 'C',
    // Found here or not at all, and its files are these, whatever `core.worktree` says.
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

/** Git, with these settings and nothing else of ours; ended with everything it started when its time is over. */
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
      // A group of its own, so that its end is the end of what it started too.
      const detached = process.platform !== 'win32'
      const env = environmentOf(request)
      child = spawn(program, words, { cwd: worktree, env, detached, stdio: 'pipe', windowsHide: true })
    } catch (thrown) {
      // A folder's name with a NUL, one too long, one below a file.
      return fail(messageOf(thrown))
    }
    const kill = () => killGroup(child.pid)
    const forget = onProcessEnd(kill)
    let isSettled = false
    const settle = (finish: () => void) => {
      // Once: the number of a process that has ended may be another's.
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      clearTimeout(search)
      forget()
      kill()
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      finish()
    }
    const timer = setTimeout(() => settle(() => fail(`git ${command} did not end within ${timeoutMs} ms.`)), timeoutMs)
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
          : fail(`git ${command} said more than ${maxOutputBytes} bytes.`),
      )
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-KEPT_ERROR_CHARS)
    })
    // Git may end before it has read everything.
    child.stdin.on('error', () => undefined).end(input ?? '')
    child.on('error', (error) => settle(() => fail(error.message)))
    child.on('close', (code) =>
      settle(() => resolve({ exitStatus: code ?? -1, stdout: Buffer.concat(chunks), stderr })),
    )
  })
}

const LIST_KEYS = ['config', '--list', '--null', '--name-only']

/**
 * The keys of every configuration in force in the checkout, with all that they include, as git itself reads them: whoever reads
 * the files in another way can be made to read other ones.
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
 * The one place that starts git. Nothing that a repository brings is run by it: see docs/adr/0023. Without a shell, with a
 * deadline for all that it starts, never throws.
 */
export async function runGitCommand(request: GitRequest): Promise<GitRun> {
  const { worktree, args, actor = 'reader', isOutside = false } = request
  const refuse = (reason: string) => ({ exitStatus: -1, stdout: Buffer.alloc(0), stderr: reason })
  if (!COMMANDS.has(args[0] ?? '')) return refuse(`git ${args[0] ?? ''} is not a command that Holdfast runs.`)
  const program = request.program ?? programPath('git')
  if (program === undefined) return refuse('git is not installed.')
  const fixed = [...fixedSettings(actor), ...(request.settings ?? [])]
  if (isOutside) return execute(request, program, fixed)
  try {
    // The ceiling below is a list with this sign between its entries: git would look above it.
    if (process.platform !== 'win32' && worktree.includes(':'))
      return refuse(`${worktree} has a colon in its path; git was not asked about this repository.`)
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
    return refuse(`git was not asked about ${worktree}: ${messageOf(thrown)}.`)
  }
}
