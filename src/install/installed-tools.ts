import { sep } from 'node:path'
import type { Home } from '../platform/base/home.ts'
import type { Installation } from './manifest.ts'
import { manifestAt } from './manifest-at.ts'

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function isFor({ cwd }: Installation, worktree: string): boolean {
  return cwd === undefined || isWithin(worktree, cwd) || isWithin(cwd, worktree)
}

/**
 * Whether `init` gave agents of a harness our MCP tools in this worktree. Undefined where it was not `init` that
 * connected it (a plugin, a hand) or nothing can be known.
 */
export function createInstalledTools(
  home: Pick<Home, 'manifestFile'>,
): (harness: string, worktree: string) => boolean | undefined {
  const manifest = manifestAt(home, (installations) => installations)
  return (harness, worktree) => {
    try {
      const here = manifest().filter((known) => known.harness === harness && isFor(known, worktree))
      return here.length === 0 ? undefined : here.some(({ files }) => files.some(({ role }) => role === 'mcp'))
    } catch {
      // `doctor` says what is wrong with the file; no session goes without its recovery for it.
      return undefined
    }
  }
}
