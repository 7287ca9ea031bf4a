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
  /** The refs are in a format (reftable) that only git reads. */
  readonly isOpaque?: true
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

function packedRef(packed: string, ref: string): string | undefined {
  const at = packed.indexOf(` ${ref}\n`)
  if (at === -1) return undefined
  const commit = packed.slice(packed.lastIndexOf('\n', at) + 1, at)
  return COMMIT.test(commit) ? commit : undefined
}

/** Where HEAD points now. */
export async function readHead({ gitDir, commonDir }: Checkout): Promise<Head> {
  const text = (await textOf(join(gitDir, 'HEAD')))?.trim() ?? ''
  if (COMMIT.test(text)) return { head: text }
  const ref = text.match(/^ref:\s*(refs\/.+)$/)?.[1]
  if (ref === undefined) return {}
  if (ref === 'refs/heads/.invalid') return { isOpaque: true }
  // A ref is a path under the repository; one that climbs out of it is not a ref.
  if (ref.split('/').includes('..')) return {}
  const loose = (await textOf(join(commonDir, ref)))?.trim()
  const head =
    loose !== undefined && COMMIT.test(loose)
      ? loose
      : packedRef((await textOf(join(commonDir, 'packed-refs'))) ?? '', ref)
  return {
    ...(ref.startsWith('refs/heads/') ? { branch: ref.slice('refs/heads/'.length) } : {}),
    ...(head === undefined ? {} : { head }),
  }
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
