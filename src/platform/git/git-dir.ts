import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { withRegularFile } from '../files/regular-file.ts'

/** One checkout of one repository, found without running git. */
export interface Checkout {
  /** Realpath of the top level. */
  readonly worktree: string
  /** This checkout's own folder: HEAD is here. */
  readonly gitDir: string
  /** The repository's folder, shared by all its worktrees: refs and config are here. Realpath. */
  readonly commonDir: string
  /** What the repository is recognised by: `commonDir`, or the top level where `commonDir` does not confirm that it belongs to it. */
  readonly identityDir: string
}

/** Packed refs of the largest repositories are smaller. */
const MAX_BYTES = 64_000_000

/** Looked for in every folder above a session, where others may have put something by these names. */
function textOf(path: string, maxBytes = MAX_BYTES): Promise<string | undefined> {
  return withRegularFile(path, async (file, size) => (size > maxBytes ? undefined : file.readFile('utf8')))
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function isGitDir(path: string): Promise<boolean> {
  return (await textOf(join(path, 'HEAD'))) !== undefined
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch {
    // Not there, or not accessible: it cannot confirm anything.
    return undefined
  }
}

/** Git quotes a value with a `#`, a `;` or outer spaces, and escapes quotes and backslashes. */
function unquoteValue(value: string): string {
  return value.replace(/\\(.)|"/g, '$1')
}

/** `core.worktree` as configured in this git directory. */
async function readCoreWorktree(gitDir: string): Promise<string | undefined> {
  let value: string | undefined
  for (const name of ['config', 'config.worktree']) {
    let isCore = false
    for (const line of ((await textOf(join(gitDir, name))) ?? '').split('\n')) {
      const section = line.match(/^\s*\[(.*)\]/)?.[1]
      if (section !== undefined) isCore = section.trim().toLowerCase() === 'core'
      const found = line.match(/^\s*worktree\s*=\s*(.*?)\s*$/i)?.[1]
      if (isCore && found !== undefined) value = unquoteValue(found)
    }
  }
  return value
}

/** Whether a linked worktree's git directory names `top/.git` in return. The last part is not resolved: it may be a symlink to another. */
async function isLinkedBack(gitDir: string, top: string): Promise<boolean> {
  const named = (await textOf(join(gitDir, 'gitdir')))?.trim()
  if (named === undefined || named === '') return false
  const dotGit = resolve(gitDir, named)
  return basename(dotGit) === '.git' && (await realPathOf(dirname(dotGit))) === top
}

/** `refused`: there is a repository, but it is not the one of this folder. */
type Opened = Checkout | 'none' | 'refused'

/**
 * The repository that a `.git` file or symlink in `top` leads to. Anybody can write such a pointer to any repository, so it counts
 * only where the repository names this folder in return. `--separate-git-dir` leaves nothing to return: then the folder is
 * recognised by its own path, and a directory of another checkout is refused.
 */
async function followPointer(top: string, named: string): Promise<Opened> {
  const gitDir = await realPathOf(resolve(top, named))
  const worktree = await realPathOf(top)
  if (gitDir === undefined || worktree === undefined || !(await isGitDir(gitDir))) return 'none'
  const common = await textOf(join(gitDir, 'commondir'))
  if (common !== undefined) {
    const commonDir = await realPathOf(resolve(gitDir, common.trim()))
    if (commonDir === undefined || dirname(gitDir) !== join(commonDir, 'worktrees')) return 'refused'
    if (!(await isLinkedBack(gitDir, worktree))) return 'refused'
    return { worktree: top, gitDir, commonDir, identityDir: commonDir }
  }
  const configured = await readCoreWorktree(gitDir)
  if (configured !== undefined) {
    if ((await realPathOf(resolve(gitDir, configured))) !== worktree) return 'refused'
    return { worktree: top, gitDir, commonDir: gitDir, identityDir: gitDir }
  }
  if (gitDir.split(sep).includes('.git')) return 'refused'
  return { worktree: top, gitDir, commonDir: gitDir, identityDir: worktree }
}

/** `.git` is a folder, or (worktree, submodule, --separate-git-dir) a file that names one. */
async function openRepository(top: string): Promise<Opened> {
  const dotGit = join(top, '.git')
  if (!(await isDirectory(dotGit))) {
    const named = (await textOf(dotGit))?.match(/^gitdir: (.+?)\r?\n?$/)?.[1]
    return named === undefined ? 'none' : followPointer(top, named)
  }
  if ((await lstat(dotGit)).isSymbolicLink()) return followPointer(top, dotGit)
  if (!(await isGitDir(dotGit))) return 'none'
  // Only a directory below `worktrees` of the other one has its refs and configuration elsewhere.
  if ((await textOf(join(dotGit, 'commondir'))) !== undefined) return 'refused'
  const commonDir = await realpath(dotGit)
  return { worktree: top, gitDir: dotGit, commonDir, identityDir: commonDir }
}

async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).uid
  } catch {
    // Not there, or not accessible: nobody is known to own it.
    return undefined
  }
}

/**
 * Whether another user put a `.git` above `directory` into a folder that is not this user's, as anybody can in /tmp. A tree that
 * belongs to that user as a whole, such as a project mounted into a container, is left to git.
 */
async function isForeignAbove(top: string, directory: string): Promise<boolean> {
  const user = process.getuid?.()
  if (user === undefined || top === directory) return false
  const owner = await ownerOf(join(top, '.git'))
  if (owner === undefined || owner === user || owner === 0) return false
  return (await ownerOf(top)) !== user && (await ownerOf(directory)) !== owner
}

/** Whether there is something by this name that is neither a file nor a folder: to open it may block for ever. */
export async function isSpecialFile(path: string): Promise<boolean> {
  try {
    const facts = await stat(path)
    return !facts.isFile() && !facts.isDirectory()
  } catch {
    return false
  }
}

/**
 * The checkout that holds `directory` (a realpath); undefined outside a repository. A folder that merely looks like a
 * repository (HEAD, objects, refs) is a folder: it may have been committed as plain files, with a configuration of its own.
 */
export async function findCheckout(directory: string): Promise<Checkout | undefined> {
  for (let top = directory; ; top = dirname(top)) {
    const opened = (await isForeignAbove(top, directory)) ? 'none' : await openRepository(top)
    if (opened === 'refused') return undefined
    if (opened !== 'none') return opened
    // A repository that cannot be read is not a part of the one around it.
    if (await isSpecialFile(join(top, '.git', 'HEAD'))) return undefined
    if (dirname(top) === top) return undefined
  }
}

export type CheckoutTop =
  | { readonly kind: 'checkout'; readonly checkout: Checkout }
  | { readonly kind: 'none' }
  /** It has a FIFO, a device or a socket where git opens a file. */
  | { readonly kind: 'unreadable'; readonly path: string }

const OPENED_IN_GIT_DIR = ['HEAD', 'index', 'commondir', 'config.worktree', 'MERGE_HEAD', 'info/sparse-checkout']
const OPENED_IN_COMMON_DIR = [
  'config',
  'packed-refs',
  'shallow',
  'info/exclude',
  'info/attributes',
  'info/grafts',
  'objects/info/alternates',
  'objects/info/commit-graph',
  'reftable/tables.list',
]
const OPENED_IN_WORKTREE = ['.git', '.git/HEAD', '.gitignore', '.gitattributes', '.gitmodules']

/** The checkout whose top is `worktree`, after a look at the files that git opens before it answers anything. */
export async function openCheckoutTop(worktree: string): Promise<CheckoutTop> {
  const found = await openRepository(worktree)
  const checkout = found === 'none' || found === 'refused' ? undefined : found
  const opened = [
    ...OPENED_IN_WORKTREE.map((name) => join(worktree, name)),
    ...(checkout === undefined
      ? []
      : [
          ...OPENED_IN_GIT_DIR.map((name) => join(checkout.gitDir, name)),
          ...OPENED_IN_COMMON_DIR.map((name) => join(checkout.commonDir, name)),
          ...(await readHead(checkout)).files,
        ]),
  ]
  const special = await Promise.all(opened.map(isSpecialFile))
  const path = opened[special.indexOf(true)]
  if (path !== undefined) return { kind: 'unreadable', path }
  return checkout === undefined ? { kind: 'none' } : { kind: 'checkout', checkout }
}

export interface Head {
  readonly branch?: string
  readonly head?: string
}

export interface HeadReading {
  /** Undefined where the refs are in a format (reftable) that only git reads. */
  readonly head: Head | undefined
  /** What was looked at, there or not: as long as all of it stays as it is, so does HEAD. */
  readonly files: readonly string[]
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

function packedRef(packed: string, ref: string): string | undefined {
  const at = packed.indexOf(` ${ref}\n`)
  if (at === -1) return undefined
  const commit = packed.slice(packed.lastIndexOf('\n', at) + 1, at)
  return COMMIT.test(commit) ? commit : undefined
}

/** A ref is a path; no file system takes a longer one. */
const MAX_HEAD_BYTES = 4_096

/** Where HEAD points now. */
export async function readHead({ gitDir, commonDir }: Checkout): Promise<HeadReading> {
  const file = join(gitDir, 'HEAD')
  const text = (await textOf(file, MAX_HEAD_BYTES))?.trim() ?? ''
  if (COMMIT.test(text)) return { head: { head: text }, files: [file] }
  const ref = text.match(/^ref:\s*(refs\/.+)$/)?.[1]
  if (ref === 'refs/heads/.invalid') {
    // Every change of a reftable puts a new list of its tables in place; a worktree has one of its own for its HEAD.
    const lists = [gitDir, commonDir].map((dir) => join(dir, 'reftable', 'tables.list'))
    return { head: undefined, files: [file, ...lists] }
  }
  // A ref is a path under the repository; one that climbs out of it is not a ref.
  if (ref === undefined || ref.split('/').includes('..')) return { head: {}, files: [file] }
  const [looseFile, packedFile] = [join(commonDir, ref), join(commonDir, 'packed-refs')]
  const loose = (await textOf(looseFile))?.trim()
  const commit = loose !== undefined && COMMIT.test(loose) ? loose : packedRef((await textOf(packedFile)) ?? '', ref)
  return {
    head: {
      ...(ref.startsWith('refs/heads/') ? { branch: ref.slice('refs/heads/'.length) } : {}),
      ...(commit === undefined ? {} : { head: commit }),
    },
    files: [file, looseFile, packedFile],
  }
}

async function stampOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch {
    // Not there, or not to be read: both are states that it may leave.
    return ''
  }
}

/**
 * Tells a directory from a later one at the same path, which may well get its inode number at once: by when it was made. The device is
 * left out, because its number can change with every boot. Undefined where the file system does not record that time, or
 * answers with the time of the last change.
 */
export async function readDirectoryStamp(path: string): Promise<string | undefined> {
  try {
    const { ino, birthtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return birthtimeNs > 0n && birthtimeNs !== ctimeNs ? `${ino}.${birthtimeNs}` : undefined
  } catch {
    // Gone meanwhile: nothing is known of it.
    return undefined
  }
}

/** Another text whenever one of the files was replaced, written, put there or taken away. Git replaces them, so also within a tick. */
export async function stampOfAll(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(stampOf))).join('|')
}

/** Whether the history ends before its root: commits below that end are not there. */
export async function isShallow({ commonDir }: Pick<Checkout, 'commonDir'>): Promise<boolean> {
  const text = await textOf(join(commonDir, 'shallow'))
  return text !== undefined && text.trim() !== ''
}

/** Remotes that name a repository before all others: a fork's own is `origin`, and what it was forked from is `upstream`. */
const NAMING_REMOTES = ['upstream', 'origin']

const MAX_CONFIG_BYTES = 1_000_000
const MAX_URL_CHARS = 2_000

/** What `key = value` gives the key, empty where the line is about another one. Without a pattern: the line may be made to be slow. */
function valueOfKey(line: string, key: string): string {
  const at = line.indexOf('=')
  return at !== -1 && line.slice(0, at).trim().toLowerCase() === key ? line.slice(at + 1).trim() : ''
}

/** The addresses as configured, the one first that names the repository. */
export async function readRemotes({ commonDir }: Pick<Checkout, 'commonDir'>): Promise<readonly string[]> {
  const urls = new Map<string, string>()
  let remote: string | undefined
  for (const line of ((await textOf(join(commonDir, 'config'), MAX_CONFIG_BYTES)) ?? '').split('\n')) {
    const text = line.trim()
    if (text.startsWith('[')) {
      const section = text.slice(1, text.indexOf(']'))
      remote = section.startsWith('remote "') && section.endsWith('"') ? section.slice(8, -1) : undefined
    }
    const url = valueOfKey(text, 'url')
    if (remote !== undefined && url !== '' && url.length <= MAX_URL_CHARS && !urls.has(remote)) urls.set(remote, url)
  }
  const naming = NAMING_REMOTES.flatMap((name) => urls.get(name) ?? [])
  return [...new Set([...naming, ...urls.values()])]
}
