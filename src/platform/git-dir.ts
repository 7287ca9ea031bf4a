import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { withRegularFile } from './regular-file.ts'

/** One checkout of one repository, found without running git. */
export interface Checkout {
  /** Realpath of the top level. */
  readonly worktree: string
  /** This checkout's own folder: HEAD is here. */
  readonly gitDir: string
  /** The repository's folder, shared by all its worktrees: refs and config are here. Realpath. */
  readonly commonDir: string
}

/** Packed refs of the largest repositories are smaller. */
const MAX_BYTES = 64_000_000

/** Looked for in every folder above a session, where others may have put something by these names. */
function textOf(path: string): Promise<string | undefined> {
  return withRegularFile(path, async (file, size) => (size > MAX_BYTES ? undefined : file.readFile('utf8')))
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

/** A repository without a checkout, or a `.git` folder seen from inside. */
async function isBare(path: string): Promise<boolean> {
  return (await isGitDir(path)) && (await isDirectory(join(path, 'objects'))) && (await isDirectory(join(path, 'refs')))
}

/** `.git` is a folder, or (worktree, submodule, --separate-git-dir) a file that names one. */
async function gitDirOf(top: string): Promise<string | undefined> {
  const dotGit = join(top, '.git')
  if (await isDirectory(dotGit)) return (await isGitDir(dotGit)) ? dotGit : undefined
  const named = (await textOf(dotGit))?.match(/^gitdir: (.+?)\r?\n?$/)?.[1]
  if (named === undefined) return undefined
  const gitDir = resolve(top, named)
  return (await isGitDir(gitDir)) ? gitDir : undefined
}

async function commonDirOf(gitDir: string): Promise<string> {
  const named = (await textOf(join(gitDir, 'commondir')))?.trim()
  return realpath(named === undefined || named === '' ? gitDir : resolve(gitDir, named))
}

/** The checkout that holds `directory` (a realpath); undefined outside a repository. */
export async function findCheckout(directory: string): Promise<Checkout | undefined> {
  for (let top = directory; ; top = dirname(top)) {
    const gitDir = await gitDirOf(top)
    if (gitDir !== undefined) return { worktree: top, gitDir, commonDir: await commonDirOf(gitDir) }
    if (await isBare(top)) {
      const worktree = basename(top) === '.git' ? dirname(top) : top
      return { worktree, gitDir: top, commonDir: await commonDirOf(top) }
    }
    if (dirname(top) === top) return undefined
  }
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

/** Where HEAD points now. */
export async function readHead({ gitDir, commonDir }: Checkout): Promise<HeadReading> {
  const file = join(gitDir, 'HEAD')
  const text = (await textOf(file))?.trim() ?? ''
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

/** Another text whenever one of the files was replaced, written, put there or taken away. Git replaces them, so also within a tick. */
export async function stampOfAll(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(stampOf))).join('|')
}

/** The address of `origin`, else of the first remote; as configured. */
export async function readRemote({ commonDir }: Checkout): Promise<string | undefined> {
  const urls = new Map<string, string>()
  let remote: string | undefined
  for (const line of ((await textOf(join(commonDir, 'config'))) ?? '').split('\n')) {
    const section = line.match(/^\s*\[(.*)\]/)?.[1]
    if (section !== undefined) remote = section.match(/^remote "(.*)"$/)?.[1]
    const url = line.match(/^\s*url\s*=\s*(.*?)\s*$/)?.[1]
    if (remote !== undefined && url !== undefined && url !== '' && !urls.has(remote)) urls.set(remote, url)
  }
  return urls.get('origin') ?? urls.values().next().value
}
