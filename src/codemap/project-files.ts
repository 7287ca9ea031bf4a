import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../kernel/ports/ports.ts'
import { parseStatus, runGit } from '../platform/git/git.ts'
import { isWorthReading, listByWalking } from './parse/discover.ts'

/** A file that is saved again right after it was read may keep its size and time, so a time this recent proves nothing. */
export const FRESH_MS = 2_000
const MAX_DIRTY = 50
const GIT_OPTIONS = { timeoutMs: 30_000, maxOutputBytes: 64_000_000 }

// Two git commands in parallel: files that are tracked and unchanged need not be checked by us.
const LIST = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--stage', '-v']
const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=no', '--ignore-submodules=all']

/** The state of a project, before any source is opened. */
export interface ProjectFiles {
  /** Source files, by name. Some may be missing, links, or too large. */
  readonly paths: readonly string[]
  readonly head?: string
  readonly branch?: string
  /** Source files with uncommitted changes, tracked ones first. */
  readonly dirty: readonly string[]
  /** Constant as long as nothing changed. Undefined while a file is too recent for its time to prove anything. */
  readonly identity?: string
  /** Wall time just before the files were listed. */
  readonly atMs: number
}

interface GitFileList {
  readonly paths: readonly string[]
  /** Content hashes from the git index. */
  readonly indexed: readonly string[]
  readonly unindexed: readonly string[]
  readonly untracked: readonly string[]
}

/** Reads `ls-files -v --stage`: `H 100644 <blob> 0\t<path>`, and `? <path>` for an untracked file. */
function parseList(output: string): GitFileList {
  const paths: string[] = []
  const indexed: string[] = []
  const unindexed: string[] = []
  const untracked: string[] = []
  for (const entry of output.split('\0')) {
    const isTracked = !entry.startsWith('? ')
    const path = entry.slice(isTracked ? entry.indexOf('\t') + 1 : 2)
    // A file in conflict is listed once per side.
    if (!isWorthReading(path) || path === paths.at(-1)) continue
    paths.push(path)
    if (!isTracked) untracked.push(path)
    // For any other tag (not checked out, assumed unchanged, in conflict) the index does not tell what is on disk.
    if (isTracked && entry.startsWith('H ')) indexed.push(entry)
    else unindexed.push(path)
  }
  return { paths, indexed, unindexed, untracked }
}

/** Undefined if one of the files is too recent. */
function readFacts(root: string, paths: readonly string[], atMs: number): readonly string[] | undefined {
  const stamps: string[] = []
  for (const path of paths) {
    const facts = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (facts !== undefined && facts.mtimeMs >= atMs - FRESH_MS) return undefined
    stamps.push(`${path}\t${facts?.size}\t${facts?.mtimeMs}`)
  }
  return stamps
}

function computeIdentity(indexed: readonly string[], facts: readonly string[] | undefined): string | undefined {
  if (facts === undefined) return undefined
  const hash = createHash('sha256')
  return hash.update(indexed.join('\0')).update('\0\0').update(facts.join('\0')).digest('hex')
}

const inOrder = (paths: Iterable<string>) => [...new Set(paths)].toSorted((a, b) => (a < b ? -1 : 1))

function listFilesByWalking(root: string, atMs: number): ProjectFiles {
  const paths = inOrder(listByWalking(root).filter(isWorthReading))
  const identity = computeIdentity([], readFacts(root, paths, atMs))
  return { paths, dirty: [], atMs, identity }
}

/** The project's own source files and the git state. `root` is the checkout's top folder, or one without git. */
export async function listProjectFiles({
  root,
  clock,
}: {
  readonly root: string
  readonly clock: Pick<Clock, 'now'>
}): Promise<ProjectFiles> {
  const atMs = Date.parse(clock.now())
  const [list, status] = await Promise.all([runGit(root, LIST, GIT_OPTIONS), runGit(root, STATUS, GIT_OPTIONS)])
  if (list?.exitStatus !== 0) return listFilesByWalking(root, atMs)
  const { paths, indexed, unindexed, untracked } = parseList(list.stdout)
  const { head, branch, dirty } = status?.exitStatus === 0 ? parseStatus(status.stdout, Infinity) : {}
  const changed = dirty?.paths.filter(isWorthReading) ?? []
  // Without a status the index proves nothing.
  const unproven = dirty === undefined ? paths : inOrder([...unindexed, ...changed])
  const identity = computeIdentity(indexed, readFacts(root, unproven, atMs))
  return {
    paths: inOrder(paths),
    dirty: [...changed, ...untracked].slice(0, MAX_DIRTY),
    atMs,
    head,
    branch,
    identity,
  }
}
