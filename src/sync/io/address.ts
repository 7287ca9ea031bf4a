import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { runGitFully } from '../../platform/git/git-command.ts'
import type { SpaceKind } from '../use-cases.ts'
import type { SshAddress } from './ssh-tree.ts'

export interface SpaceAddress {
  readonly kind: SpaceKind
  /** The same for every spelling that a user types. */
  readonly address: string
  /** unknown: nothing shows that only the user's own people can read it. */
  readonly visibility: 'private' | 'unknown' | 'public'
}

const PUBLIC_HOSTS =
  /(?:^|[@/.])(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|gitee\.com|sourceforge\.net)(?=[:/]|$)/i
const GIT_URL = /^(?:https?|git|file|git\+ssh|ssh\+git):\/\//i
const SCP_LIKE = /^[\w.-]+@[\w.-]+:.+/
const HOST = /^(?:[\w.-]+@)?[\w.-]+$/

function refuse(address: string, why: string, hint: string): never {
  throw new HoldfastError('invalid-input', `${address} ${why}`, { hint })
}

export function parseSsh(address: string): SshAddress {
  const hint = 'Write ssh://host/path or ssh://user@host:port/path.'
  if (!URL.canParse(address)) return refuse(address, 'is not an address.', hint)
  const url = new URL(address)
  if (url.password !== '')
    return refuse(`ssh://${url.host}`, 'has a password.', 'Use a key, and leave the password out.')
  const host = `${url.username === '' ? '' : `${decodeURIComponent(url.username)}@`}${url.hostname}`
  const path = decodeURIComponent(url.pathname)
  if (!HOST.test(host) || host.startsWith('-') || path.length < 2 || /[\n\r\0]/.test(path))
    return refuse(address, 'is not a host and a folder.', hint)
  return { host, path, ...(url.port !== '' && { port: Number(url.port) }) }
}

function isRepository(path: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name)))
}

function toGit(address: string): SpaceAddress {
  if (/^\w+:\/\/[^/@]*:[^/@]*@/.test(address))
    refuse(
      address.replace(/\/\/[^@]*@/, '//…@'),
      'has a password.',
      'Use a credential helper, and leave the password out.',
    )
  if (address.startsWith('file://') || address.startsWith('/')) return { kind: 'git', address, visibility: 'private' }
  const isPublic = /^git:\/\//i.test(address) || PUBLIC_HOSTS.test(address)
  return { kind: 'git', address, visibility: isPublic ? 'public' : 'unknown' }
}

/** A folder, `ssh://host/path`, the address of a git repository, or the name of a remote of the repository in `cwd`. */
export async function parseAddress(given: string, cwd: string): Promise<SpaceAddress> {
  if (/^ssh:\/\//i.test(given)) {
    if (given.endsWith('.git')) return toGit(given)
    const { host, port, path } = parseSsh(given)
    const address = `ssh://${host}${port === undefined ? '' : `:${port}`}${path}`
    return { kind: 'ssh', address, visibility: 'private' }
  }
  if (GIT_URL.test(given) || SCP_LIKE.test(given)) return toGit(given)
  const path = resolve(cwd, given.replace(/^~(?=\/|$)/, homedir()))
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) refuse(path, 'is not a folder.', 'Name a folder.')
    if (isRepository(path)) return toGit(path)
    return { kind: 'folder', address: path, visibility: 'private' }
  }
  if (/^[\w.-]+$/.test(given)) {
    const found = await runGitFully(cwd, ['config', '--get', `remote.${given}.url`])
    const url = found.exitStatus === 0 ? found.stdout.toString('utf8').trim() : ''
    if (url !== '') return toGit(url)
  }
  throw new HoldfastError('not-found', `${path} does not exist.`, {
    hint: 'Name an existing folder, ssh://host/path, a git remote, or the address of a git repository.',
  })
}
