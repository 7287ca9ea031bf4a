import { type BigIntStats, statSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { withRegularFile } from '../files/files.ts'

/** One checkout of one repository, found without running git. */
export interface Checkout {
  /** Real path of the top level. */
  readonly worktree: string
  /** The git directory of this checkout, with HEAD. */
  readonly gitDir: string
  /** The repository's folder, shared by all worktrees, with refs and config. Real path. */
  readonly commonDir: string
  /** The path that identifies the repository: `commonDir`, or the top level if `commonDir` does not point back to it. */
  readonly identityDir: string
}

/** Larger than the packed refs of the largest repositories. */
const MAX_BYTES = 64_000_000

/** Also read in folders above a session, where others may have put files with these names. */
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

async function resolveLink(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch {
    // Missing or not accessible: it confirms nothing.
    return undefined
  }
}

/** Git quotes a value with `#`, `;` or outer spaces, and escapes quotes and backslashes. */
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

/** Whether a linked worktree's git directory points back to `top/.git`. The last part is not resolved: it may be a symlink. */
async function isLinkedBack(gitDir: string, top: string): Promise<boolean> {
  const named = (await textOf(join(gitDir, 'gitdir')))?.trim()
  if (named === undefined || named === '') return false
  const dotGit = resolve(gitDir, named)
  return basename(dotGit) === '.git' && (await resolveLink(dirname(dotGit))) === top
}

/** `refused`: there is a repository, but it is not the one of this folder. */
type CheckoutLookup = Checkout | 'none' | 'refused'

/**
 * The repository that a `.git` file or symlink in `top` points to. Anyone can write such a pointer to any repository, so it counts
 * only if the repository points back to this folder. `--separate-git-dir` has no back pointer: then the folder is
 * identified by its own path, and the directory of another checkout is refused.
 */
async function followPointer(top: string, named: string): Promise<CheckoutLookup> {
  const gitDir = await resolveLink(resolve(top, named))
  const worktree = await resolveLink(top)
  if (gitDir === undefined || worktree === undefined || !(await isGitDir(gitDir))) return 'none'
  const common = await textOf(join(gitDir, 'commondir'))
  if (common !== undefined) {
    const commonDir = await resolveLink(resolve(gitDir, common.trim()))
    if (commonDir === undefined || dirname(gitDir) !== join(commonDir, 'worktrees')) return 'refused'
    if (!(await isLinkedBack(gitDir, worktree))) return 'refused'
    return { worktree: top, gitDir, commonDir, identityDir: commonDir }
  }
  const configured = await readCoreWorktree(gitDir)
  if (configured !== undefined) {
    if ((await resolveLink(resolve(gitDir, configured))) !== worktree) return 'refused'
    return { worktree: top, gitDir, commonDir: gitDir, identityDir: gitDir }
  }
  if (gitDir.split(sep).includes('.git')) return 'refused'
  return { worktree: top, gitDir, commonDir: gitDir, identityDir: worktree }
}

/** `.git` is a folder, or (worktree, submodule, --separate-git-dir) a file that points to one. */
async function openRepository(top: string): Promise<CheckoutLookup> {
  const dotGit = join(top, '.git')
  if (!(await isDirectory(dotGit))) {
    const named = (await textOf(dotGit))?.match(/^gitdir: (.+?)\r?\n?$/)?.[1]
    return named === undefined ? 'none' : followPointer(top, named)
  }
  if ((await lstat(dotGit)).isSymbolicLink()) return followPointer(top, dotGit)
  if (!(await isGitDir(dotGit))) return 'none'
  // Only a directory below `worktrees` has its refs and configuration elsewhere.
  if ((await textOf(join(dotGit, 'commondir'))) !== undefined) return 'refused'
  const commonDir = await realpath(dotGit)
  return { worktree: top, gitDir: dotGit, commonDir, identityDir: commonDir }
}

async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).uid
  } catch {
    // Missing or not accessible: the owner is unknown.
    return undefined
  }
}

/**
 * Whether another user put a `.git` above `directory` into a folder that is not this user's, as anyone can in /tmp. A tree that
 * belongs to that user entirely, such as a project mounted into a container, is allowed.
 */
async function isForeignAbove(top: string, directory: string): Promise<boolean> {
  const user = process.getuid?.()
  if (user === undefined || top === directory) return false
  const owner = await ownerOf(join(top, '.git'))
  if (owner === undefined || owner === user || owner === 0) return false
  return (await ownerOf(top)) !== user && (await ownerOf(directory)) !== owner
}

/** Whether the path is neither a file nor a folder: opening it may block forever. */
export async function isSpecialFile(path: string): Promise<boolean> {
  try {
    const facts = await stat(path)
    return !facts.isFile() && !facts.isDirectory()
  } catch {
    return false
  }
}

/**
 * The checkout that contains `directory` (a real path); undefined outside a repository. A folder that only looks like a
 * repository (HEAD, objects, refs) is not one: it may have been committed as plain files, with a configuration of its own.
 */
export async function findCheckout(directory: string): Promise<Checkout | undefined> {
  for (let top = directory; ; top = dirname(top)) {
    const opened = (await isForeignAbove(top, directory)) ? 'none' : await openRepository(top)
    if (opened === 'refused') return undefined
    if (opened !== 'none') return opened
    // An unreadable repository is not part of the one that contains it.
    if (await isSpecialFile(join(top, '.git', 'HEAD'))) return undefined
    if (dirname(top) === top) return undefined
  }
}

export type CheckoutTop =
  | { readonly kind: 'checkout'; readonly checkout: Checkout }
  | { readonly kind: 'none' }
  /** It has a FIFO, a device or a socket in place of a file that git opens. */
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

/** The checkout with top level `worktree`, after checking the files that git opens first. */
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
  /** Undefined when the refs are in a format (reftable) that only git reads. */
  readonly head: Head | undefined
  /** The files that were read, existing or not: HEAD cannot change unless one of them does. */
  readonly files: readonly string[]
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

function packedRef(packed: string, ref: string): string | undefined {
  const at = packed.indexOf(` ${ref}\n`)
  if (at === -1) return undefined
  const commit = packed.slice(packed.lastIndexOf('\n', at) + 1, at)
  return COMMIT.test(commit) ? commit : undefined
}

/** A ref is a path; no file system allows a longer one. */
const MAX_HEAD_BYTES = 4_096

/** Where HEAD points now. */
export async function readHead({ gitDir, commonDir }: Checkout): Promise<HeadReading> {
  const file = join(gitDir, 'HEAD')
  const text = (await textOf(file, MAX_HEAD_BYTES))?.trim() ?? ''
  if (COMMIT.test(text)) return { head: { head: text }, files: [file] }
  const ref = text.match(/^ref:\s*(refs\/.+)$/)?.[1]
  if (ref === 'refs/heads/.invalid') {
    // Every change of a reftable replaces its list of tables; a worktree has its own list for its HEAD.
    const lists = [gitDir, commonDir].map((dir) => join(dir, 'reftable', 'tables.list'))
    return { head: undefined, files: [file, ...lists] }
  }
  // A path that leaves the repository is not a ref.
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

/** Undefined when it is missing or not accessible. Not async: every hook waits for it, and a thread of the pool costs ten times as much. */
export function findStats(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    // Not a folder on the way, or a path that no file can have.
    return undefined
  }
}

function readStamp(path: string): string {
  const facts = findStats(path)
  // Missing or not readable: both are states that can change.
  return facts === undefined ? '' : `${facts.ino} ${facts.size} ${facts.mtimeNs}`
}

/**
 * Distinguishes a directory from a later one at the same path, which may get the same inode, by its creation time. The device is
 * left out, because its number can change with every boot. Undefined when the file system does not record that time, or
 * reports the time of the last change instead.
 */
export async function readDirectoryStamp(path: string): Promise<string | undefined> {
  try {
    const { ino, birthtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return birthtimeNs > 0n && birthtimeNs !== ctimeNs ? `${ino}.${birthtimeNs}` : undefined
  } catch {
    // Deleted meanwhile.
    return undefined
  }
}

/** Differs whenever one of the files was replaced, written, created or deleted. Git replaces files, so changes within one clock tick are seen too. */
export function readStamps(paths: readonly string[]): string {
  return paths.map(readStamp).join('|')
}

/** Whether the history is truncated: a shallow clone. */
export async function isShallow({ commonDir }: Pick<Checkout, 'commonDir'>): Promise<boolean> {
  const text = await textOf(join(commonDir, 'shallow'))
  return text !== undefined && text.trim() !== ''
}

/** Remotes in order of preference: a fork has `origin` for itself and `upstream` for its source. */
const NAMING_REMOTES = ['upstream', 'origin']

const MAX_CONFIG_BYTES = 1_000_000
const MAX_URL_CHARS = 2_000

/** The value of `key = value`, empty for another key. No regular expression: a hostile line could make one slow. */
function readKey(line: string, key: string): string {
  const at = line.indexOf('=')
  return at !== -1 && line.slice(0, at).trim().toLowerCase() === key ? line.slice(at + 1).trim() : ''
}

/** The configured URLs, the preferred one first. */
export async function readRemotes({ commonDir }: Pick<Checkout, 'commonDir'>): Promise<readonly string[]> {
  const urls = new Map<string, string>()
  let remote: string | undefined
  for (const line of ((await textOf(join(commonDir, 'config'), MAX_CONFIG_BYTES)) ?? '').split('\n')) {
    const text = line.trim()
    if (text.startsWith('[')) {
      const section = text.slice(1, text.indexOf(']'))
      remote = section.startsWith('remote "') && section.endsWith('"') ? section.slice(8, -1) : undefined
    }
    const url = readKey(text, 'url')
    if (remote !== undefined && url !== '' && url.length <= MAX_URL_CHARS && !urls.has(remote)) urls.set(remote, url)
  }
  const naming = NAMING_REMOTES.flatMap((name) => urls.get(name) ?? [])
  return [...new Set([...naming, ...urls.values()])]
}
