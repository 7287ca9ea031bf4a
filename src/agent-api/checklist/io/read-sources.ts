import { type Dirent, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { readProjectFile } from '../../../platform/files/project-file.ts'
import type { ProjectSource } from '../wiring.ts'

const MAX_FILES = 2_000
const MAX_BYTES = 200_000
const NO_SOURCE =
  /^(?:node_modules|__pycache__|\.(?!env).*|.*\.(?:png|jpe?g|gif|ico|woff2?|pdf|zip|gz|jar|class|wasm|lock|map|md|svg))$/i
/** Deeper, such a name may be a part of the program. */
const NO_SOURCE_AT_TOP = /^(?:vendor|dist|build|out|target|coverage|venv|tasks|checkpoints)$/

function listFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    // It is gone or unreadable: what is in it cannot be shown to read a setting.
    return []
  }
}

/** The text of the project's sources and settings; undefined if it has too many to say that nothing reads something. */
export function readSources(root: string): readonly ProjectSource[] | undefined {
  const sources: ProjectSource[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of listFolder(join(root, folder))) {
      if (NO_SOURCE.test(entry.name) || (folder === '' && NO_SOURCE_AT_TOP.test(entry.name))) continue
      const path = posix.join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) {
        if (sources.length === MAX_FILES) return undefined
        const text = readText(root, path)
        if (text === undefined) return undefined
        sources.push({ path, text })
      }
    }
  return sources.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Empty for a binary file; undefined if it is too large to be looked through. */
function readText(root: string, path: string): string | undefined {
  try {
    const bytes = readProjectFile({ root, path }, MAX_BYTES)?.bytes
    return bytes === undefined || bytes.includes(0) ? '' : bytes.toString('utf8')
  } catch (thrown) {
    if (thrown instanceof HoldfastError && thrown.code !== 'too-large') return ''
    return undefined
  }
}
