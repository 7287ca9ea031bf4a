import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { ProjectId } from '../kernel/id.ts'
import type { RepositoryFacts, LocatedRepository } from '../kernel/location.ts'
import type { Clock, Locator, RepositorySurveyor } from '../kernel/ports/ports.ts'
import type { Location } from '../kernel/location.ts'
import { runGit } from './git/git.ts'
import {
  type Checkout,
  findCheckout,
  findStats,
  type Head,
  isShallow,
  readDirectoryStamp,
  readHead,
  readRemotes,
  readStamps,
} from './git/git-dir.ts'
import { borrowsObjects } from './git/own-objects.ts'
import { sha256 } from './base/crypto.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const SCP_LIKE = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.*)$/

/**
 * One spelling for all URLs of one repository: `host/path`, without scheme, user, password, default port, `.git` and
 * trailing slashes; the host in lower case. Paths keep their case: on many servers it matters.
 */
export function normalizeRemote(address: string): string {
  const trimmed = address.trim()
  if (SCHEME.test(trimmed)) {
    const rest = trimmed.replace(SCHEME, '')
    const slash = rest.indexOf('/')
    const authority = slash === -1 ? rest : rest.slice(0, slash)
    const path = slash === -1 ? '' : rest.slice(slash)
    const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
    return tidy(host.replace(/:(?:22|80|443|9418)$/, ''), path)
  }
  // A Windows drive letter is a path, not a host.
  const scp = /^[a-z]:[\\/]/i.test(trimmed) ? null : trimmed.match(SCP_LIKE)
  return scp === null ? tidy('', trimmed) : tidy((scp[1] ?? '').toLowerCase(), `/${scp[2] ?? ''}`)
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

function tidy(host: string, path: string): string {
  const end = path.search(/[?#]/)
  const bare = withoutTrailingSlashes(
    withoutTrailingSlashes(end === -1 ? path : path.slice(0, end)).replace(/\.git$/, ''),
  )
  return `${host}${host === '' ? bare : bare.replace(/^\/+/, '/')}`
}

interface CachedLocation {
  readonly identity: Pick<Location, 'projectId' | 'project' | 'projectNormalized' | 'remote' | 'worktree'>
  readonly repository: Omit<RepositoryFacts, 'head'>
  readonly isThere: boolean
  readonly checkout?: Checkout
  readonly knownAtMs: number
  /** Changes when another directory replaces this one. */
  readonly seal: string
  head?: { readonly value: Head; readonly files: readonly string[]; readonly stamp: string }
}

/** How long a directory's repository is cached. */
const TTL_MS = 5_000
const MAX_KNOWN = 1_000

/** The real path; for a missing one, the real path of its nearest existing parent with the rest as given. */
export async function resolveRealPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await resolveRealPath(parent), basename(path))
  }
}

function toProjectId(path: string): ProjectId {
  return ProjectId(sha256(path).slice(0, 32))
}

/** The root as the caller spelled it: the given path without what is below the root. */
function spelledRoot(spelled: string, real: string, root: string): string {
  const below = relative(root, real)
  if (below === '') return spelled
  return spelled.endsWith(`${sep}${below}`) ? spelled.slice(0, -below.length - 1) : root
}

function readInode(path: string): string {
  const facts = findStats(path)
  // Missing or not accessible: both are states that can change.
  return facts === undefined ? '' : `${facts.dev}.${facts.ino}.${facts.birthtimeNs}`
}

/** Stamps the git directory, or the folder itself and its `.git`, which may appear or change. */
function computeSeal(location: string, checkout: Checkout | undefined): string {
  const own = readInode(location)
  return checkout?.commonDir === location ? own : `${own} ${readInode(join(location, '.git'))}`
}

async function locateAnew(cwd: string): Promise<Omit<CachedLocation, 'knownAtMs'>> {
  const spelled = resolve(cwd)
  const real = await resolveRealPath(spelled)
  const checkout = await findCheckout(real)
  if (checkout === undefined) {
    const seal = computeSeal(real, undefined)
    return {
      identity: { projectId: toProjectId(real), project: spelled, projectNormalized: real, worktree: real },
      repository: { location: real, hasGit: false, remotes: [] },
      isThere: readInode(real) !== '',
      seal,
    }
  }
  const { commonDir, identityDir, worktree } = checkout
  // Taken before the data that it validates is read.
  const seal = computeSeal(identityDir, checkout)
  const stamp = await readDirectoryStamp(identityDir)
  const remotes = [...new Set((await readRemotes(checkout)).map(normalizeRemote))]
  const isOwnRepository = (await resolveRealPath(checkout.gitDir)) === commonDir
  const owner = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir
  return {
    checkout,
    identity: {
      projectId: toProjectId(identityDir),
      project: spelledRoot(spelled, real, worktree),
      projectNormalized: isOwnRepository ? worktree : owner,
      worktree,
      ...(remotes[0] === undefined ? {} : { remote: remotes[0] }),
    },
    repository: {
      location: identityDir,
      hasGit: true,
      remotes,
      ...(stamp === undefined ? {} : { stamp }),
      ...((await isShallow(checkout)) || (await borrowsObjects(checkout)) ? { isIncomplete: true } : {}),
    },
    isThere: true,
    seal,
  }
}

async function headByGit(worktree: string): Promise<Head> {
  const [branch, head] = await Promise.all([
    runGit(worktree, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
    runGit(worktree, ['rev-parse', '--quiet', '--verify', 'HEAD']),
  ])
  return {
    ...(branch?.exitStatus === 0 ? { branch: branch.stdout.trim() } : {}),
    ...(head?.exitStatus === 0 ? { head: head.stdout.trim() } : {}),
  }
}

/** Current branch and commit: read again only when one of their files changed. */
async function freshHead(located: CachedLocation, checkout: Checkout): Promise<Head> {
  const known = located.head
  if (known !== undefined && known.stamp === readStamps(known.files)) return known.value
  const { files } = await readHead(checkout)
  // The stamp is taken before the data is read: a change in between only causes another read.
  const stamp = readStamps(files)
  const reading = await readHead(checkout)
  const value = reading.head ?? (await headByGit(checkout.worktree))
  const isSame = reading.files.join('\0') === files.join('\0')
  located.head = isSame ? { value, files, stamp } : undefined
  return value
}

/** Locates a folder by the disk alone: `locate` names a project by its path, from which `createProjectLocator` derives an identity. */
export function createLocator({ clock }: { readonly clock: Clock }): Locator & RepositorySurveyor {
  const known = new BoundedMap<string, CachedLocation>(MAX_KNOWN)

  function isCurrent({ knownAtMs, seal, repository, checkout }: CachedLocation, now: number): boolean {
    return now - knownAtMs < TTL_MS && seal === computeSeal(repository.location, checkout)
  }

  async function knownOrAnew(cwd: string): Promise<CachedLocation> {
    const now = clock.monotonicMs()
    const remembered = known.get(cwd)
    if (remembered !== undefined && isCurrent(remembered, now)) return remembered
    const located = { ...(await locateAnew(cwd)), knownAtMs: now }
    known.set(cwd, located)
    return located
  }

  async function survey(cwd: string): Promise<LocatedRepository> {
    try {
      const located = await knownOrAnew(cwd)
      const { identity, repository, checkout, isThere } = located
      const head = checkout === undefined ? {} : await freshHead(located, checkout)
      return {
        location: { ...identity, ...head },
        repository: head.head === undefined ? repository : { ...repository, head: head.head },
        isThere,
      }
    } catch {
      // An invalid path (a NUL, a repository deleted meanwhile) is identified by its own text.
      return {
        location: { projectId: toProjectId(cwd), project: cwd, projectNormalized: cwd, worktree: cwd },
        repository: { location: cwd, hasGit: false, remotes: [] },
        isThere: false,
      }
    }
  }

  return { survey, locate: async (cwd) => (await survey(cwd)).location }
}
