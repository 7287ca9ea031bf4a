import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const distDir = join(root, 'dist')
export const buildStamp = join(distDir, 'build.json')

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : filesUnder(path)
    return entry.isFile() && !entry.name.endsWith('.test.ts') ? [path] : []
  })
}

/** One digest over everything a build is made from. */
export function sourceHash() {
  const files = [
    ...filesUnder(join(root, 'src')),
    ...['word-table.bin', 'word-table.NOTICE.txt'].map((name) => join(root, 'assets', name)),
    join(root, 'scripts/build.mjs'),
    join(root, 'scripts/grammars.mjs'),
    join(root, 'package.json'),
    join(root, 'package-lock.json'),
  ]
    .filter((path) => existsSync(path))
    .toSorted((a, b) => (a < b ? -1 : 1))
  const hash = createHash('sha256')
  for (const path of files) {
    const name = relative(root, path).split(sep).join('/')
    hash
      .update(`${name}\0${statSync(path).mode & 0o111}\0`)
      .update(readFileSync(path))
      .update('\0')
  }
  return hash.digest('hex')
}

/** What the last whole build was made from; undefined when there was none. */
export function readBuildStamp() {
  try {
    return JSON.parse(readFileSync(buildStamp, 'utf8'))
  } catch {
    // Missing or cut short: both mean that a build is due.
    return undefined
  }
}
