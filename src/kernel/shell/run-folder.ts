import { inFolder, runnableParts, runsFromAnywhere, segmentsOf } from './command.ts'
import { pathFrom, relativePath } from '../paths/paths.ts'

export interface Where {
  readonly worktree?: string
  /** The session's folder. */
  readonly cwd?: string
  /** The folder that the call named or that its line went to first, as `ToolCall.cwd` has it. */
  readonly ranIn?: string
}

export interface PlacedPart {
  /** Relative to the worktree; empty at its root. */
  readonly folder: string
  readonly part: string
}

const GOES_TO = /^(?:cd|pushd)(?:\s+(?:--\s+)?("[^"]*"|'[^']*'|[^\s<>]+))?(?:\s|$)/

export function isOutside(folder: string): boolean {
  return folder.startsWith('/') || /^[A-Za-z]:\//.test(folder)
}

/** As it is called from the worktree's root. What lies outside keeps its name. */
function fromRoot(path: string, { worktree, cwd }: Where): string {
  if (path === '/') return path
  const inside = relativePath(path, { worktree }) ?? ''
  // The session's own folder by another spelling, as over a link.
  const base = cwd === undefined || !isOutside(relativePath(cwd, { worktree }) ?? '') ? undefined : cwd
  if (base === undefined || !isOutside(inside)) return inside
  return relativePath(path, { worktree: base }) ?? ''
}

/** Where a `cd` leads. A hook that comes after the command may name the folder that it went to: then it is there already. */
function wentTo(target: string, from: string, where: Where): string {
  const bare = target.replace(/^(["'])(.*)\1$/, '$2').replace(/(?<=.)\/+$/, '')
  if (bare === '.' || (!/^[./~$]/.test(bare) && (from === bare || from.endsWith(`/${bare}`)))) return from
  const root = where.worktree ?? ''
  const base = from === '' ? root : pathFrom(root, from)
  return fromRoot(base === '' ? bare : pathFrom(base, bare), where)
}

function beginning(where: Where): string {
  const { worktree, cwd, ranIn } = where
  const base = cwd ?? worktree
  if (ranIn !== undefined) return fromRoot(base === undefined ? ranIn : pathFrom(base, ranIn), where)
  const folder = cwd === undefined ? '' : fromRoot(cwd, where)
  // A session that is somewhere else altogether is taken to be at the root: nothing else of it is known.
  return isOutside(folder) ? '' : folder
}

/** The parts of a line that could be run again, each with the folder that it runs in: `npm test` of one package is not that of another. */
export function placedParts(line: string, where: Where): readonly PlacedPart[] {
  const placed: PlacedPart[] = []
  let folder = beginning(where)
  for (const [index, segment] of segmentsOf(line).entries()) {
    const goes = GOES_TO.exec(segment)
    if (goes === null) for (const part of runnableParts(segment)) placed.push({ folder, part })
    else if (index > 0 || where.ranIn === undefined)
      folder = goes[1] === undefined ? '~' : wentTo(goes[1], folder, where)
  }
  return placed
}

/** The same, as each is run from the worktree's root. */
export function commandsIn(line: string, where: Where): readonly string[] {
  const commands = placedParts(line, where).map(({ folder, part }) =>
    runsFromAnywhere(part) && !isOutside(folder) ? part : inFolder(folder, part),
  )
  return [...new Set(commands)]
}
