import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
    throw thrown
  }
}

/** Every entry below a folder, with what would show that it was touched: inode, size and time of change. */
export function walk(root: string, leaveOut: readonly string[] = []): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (dir: string) => {
    for (const name of namesIn(dir)) {
      const path = join(dir, name)
      if (leaveOut.includes(path)) continue
      const facts = lstatSync(path, { throwIfNoEntry: false })
      // A daemon at work takes its temporary files away while we look.
      if (facts === undefined) continue
      found.set(path, `${facts.ino} ${facts.size} ${facts.mtimeMs}`)
      if (facts.isDirectory()) visit(path)
    }
  }
  visit(root)
  return found
}

/** Paths that are new, gone or altered. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted()
}
