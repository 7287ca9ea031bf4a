import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../kernel/ports/ports.ts'
import { parseStatus, runGit } from '../platform/git/git.ts'
import { isWorthReading, listByWalking } from './parse/discover.ts'

/** A file that is saved again in the moment after it was read may keep its size and time: so fresh a time proves nothing. */
export const FRESH_MS = 2_000
const MAX_DIRTY = 50
const GIT_OPTIONS = { timeoutMs: 30_000, maxOutputBytes: 64_000_000 }

// One walk over the folders and one over the index, side by side: what is tracked and as git has it needs no look of ours.
const LIST = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--stage', '-v']
const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=no', '--ignore-submodules=all']

/** What is there, before any source is opened. */
export interface Survey {
  /** Source files, by name. Some may be gone, links, or too large. */
  readonly paths: readonly string[]
  readonly head?: string
  readonly branch?: string
  /** Source files with uncommitted changes, those that git knows first. */
  readonly dirty: readonly string[]
  /** The same as long as nothing changed. Undefined while a file is so fresh that its time proves nothing. */
  readonly identity?: string
  /** Wall time just before looking. */
  readonly atMs: number
}

interface Listed {
  readonly paths: readonly string[]
  /** Content that git vouches for, as its index has it. */
  readonly vouched: readonly string[]
  readonly unvouched: readonly string[]
  readonly untracked: readonly string[]
}

/** Reads `ls-files -v --stage`: `H 100644 <blob> 0\t<path>`, and `? <path>` for a file that is not tracked. */
function parseList(output: string): Listed {
  const paths: string[] = []
  const vouched: string[] = []
  const unvouched: string[] = []
  const untracked: string[] = []
  for (const entry of output.split('\0')) {
    const isTracked = !entry.startsWith('? ')
    const path = entry.slice(isTracked ? entry.indexOf('\t') + 1 : 2)
    // A file in conflict is listed once for each side.
    if (!isWorthReading(path) || path === paths.at(-1)) continue
    paths.push(path)
    if (!isTracked) untracked.push(path)
    // Of any other tag (not checked out, assumed unchanged, in conflict) git does not say what is on the disk.
    if (isTracked && entry.startsWith('H ')) vouched.push(entry)
    else unvouched.push(path)
  }
  return { paths, vouched, unvouched, untracked }
}

/** Undefined as soon as one of the files is too fresh. */
function factsOf(root: string, paths: readonly string[], atMs: number): readonly string[] | undefined {
  const told: string[] = []
  for (const path of paths) {
    const facts = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (facts !== undefined && facts.mtimeMs >= atMs - FRESH_MS) return undefined
    told.push(`${path}\t${facts?.size}\t${facts?.mtimeMs}`)
  }
  return told
}

function identityOf(vouched: readonly string[], facts: readonly string[] | undefined): string | undefined {
  if (facts === undefined) return undefined
  const hash = createHash('sha256')
  return hash.update(vouched.join('\0')).update('\0\0').update(facts.join('\0')).digest('hex')
}

const inOrder = (paths: Iterable<string>) => [...new Set(paths)].toSorted((a, b) => (a < b ? -1 : 1))

function surveyByWalking(root: string, atMs: number): Survey {
  const paths = inOrder(listByWalking(root).filter(isWorthReading))
  const identity = identityOf([], factsOf(root, paths, atMs))
  return { paths, dirty: [], atMs, ...(identity !== undefined && { identity }) }
}

/** The project's own source files and where git stands. `root` is the checkout's top folder, or one without git. */
export async function surveyProject({
  root,
  clock,
}: {
  readonly root: string
  readonly clock: Pick<Clock, 'now'>
}): Promise<Survey> {
  const atMs = Date.parse(clock.now())
  const [list, status] = await Promise.all([runGit(root, LIST, GIT_OPTIONS), runGit(root, STATUS, GIT_OPTIONS)])
  if (list?.exitStatus !== 0) return surveyByWalking(root, atMs)
  const { paths, vouched, unvouched, untracked } = parseList(list.stdout)
  const { head, branch, dirty } = status?.exitStatus === 0 ? parseStatus(status.stdout, Infinity) : {}
  const changed = dirty?.paths.filter(isWorthReading) ?? []
  // Without a status nobody vouches for anything.
  const doubtful = dirty === undefined ? paths : inOrder([...unvouched, ...changed])
  const identity = identityOf(vouched, factsOf(root, doubtful, atMs))
  return {
    paths: inOrder(paths),
    dirty: [...changed, ...untracked].slice(0, MAX_DIRTY),
    atMs,
    ...(head !== undefined && { head }),
    ...(branch !== undefined && { branch }),
    ...(identity !== undefined && { identity }),
  }
}
