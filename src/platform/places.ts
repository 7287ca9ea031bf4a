import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { ProjectId } from '../core/id.ts'
import type { Clock, Places } from '../core/ports.ts'
import type { Place } from '../core/project.ts'
import { runGit } from './git.ts'
import { type Checkout, findCheckout, type Head, readHead, readRemote, stampOfAll } from './git-dir.ts'
import { normalizeRemote } from './remote-address.ts'

interface Located {
  readonly identity: Pick<Place, 'projectId' | 'project' | 'projectNormalized' | 'remote' | 'worktree'>
  readonly checkout?: Checkout
  readonly knownAtMs: number
  head?: { readonly value: Head; readonly files: readonly string[]; readonly stamp: string }
}

/** How long a directory's repository is taken as known. */
const TTL_MS = 5_000
const MAX_KNOWN = 1_000

/** The real path; of one that is gone, its nearest living parent's with the rest as spelled. */
export async function realPathOfMaybeGone(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realPathOfMaybeGone(parent), basename(path))
  }
}

function projectIdOf(path: string): ProjectId {
  return ProjectId(createHash('sha256').update(path).digest('hex').slice(0, 32))
}

/** The root as the caller spelled it: their path without what lies below the root. */
function spelledRoot(spelled: string, real: string, root: string): string {
  const below = relative(root, real)
  if (below === '') return spelled
  return spelled.endsWith(`${sep}${below}`) ? spelled.slice(0, -below.length - 1) : root
}

async function locateAnew(cwd: string): Promise<Omit<Located, 'knownAtMs'>> {
  const spelled = resolve(cwd)
  const real = await realPathOfMaybeGone(spelled)
  const checkout = await findCheckout(real)
  if (checkout === undefined) {
    const identity = { projectId: projectIdOf(real), project: spelled, projectNormalized: real, worktree: real }
    return { identity }
  }
  const remote = await readRemote(checkout)
  const isOwnRepository = (await realPathOfMaybeGone(checkout.gitDir)) === checkout.commonDir
  const owner = basename(checkout.commonDir) === '.git' ? dirname(checkout.commonDir) : checkout.commonDir
  return {
    checkout,
    identity: {
      projectId: projectIdOf(checkout.commonDir),
      project: spelledRoot(spelled, real, checkout.worktree),
      projectNormalized: isOwnRepository ? checkout.worktree : owner,
      worktree: checkout.worktree,
      ...(remote === undefined ? {} : { remote: normalizeRemote(remote) }),
    },
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

/** Branch and commit as they are now: read again only when a file that they were read from is another than then. */
async function freshHead(located: Located, checkout: Checkout): Promise<Head> {
  const known = located.head
  if (known !== undefined && known.stamp === (await stampOfAll(known.files))) return known.value
  const { files } = await readHead(checkout)
  // The stamp is taken before the reading that it vouches for: a change in between makes it worthless, not wrong.
  const stamp = await stampOfAll(files)
  const reading = await readHead(checkout)
  const value = reading.head ?? (await headByGit(checkout.worktree))
  const isSame = reading.files.join('\0') === files.join('\0')
  located.head = isSame ? { value, files, stamp } : undefined
  return value
}

export function createPlaces({ clock }: { readonly clock: Clock }): Places {
  const known = new Map<string, Located>()

  async function knownOrAnew(cwd: string): Promise<Located> {
    const now = clock.monotonicMs()
    const remembered = known.get(cwd)
    if (remembered !== undefined && now - remembered.knownAtMs < TTL_MS) return remembered
    const located = { ...(await locateAnew(cwd)), knownAtMs: now }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(cwd, located)
    return located
  }

  return {
    async locate(cwd) {
      try {
        const located = await knownOrAnew(cwd)
        const { identity, checkout } = located
        return checkout === undefined ? identity : { ...identity, ...(await freshHead(located, checkout)) }
      } catch {
        // A path no file system takes (a NUL, a repository deleted while we looked) still has an identity: its own text.
        return { projectId: projectIdOf(cwd), project: cwd, projectNormalized: cwd, worktree: cwd }
      }
    },
  }
}
