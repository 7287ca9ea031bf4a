import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { type DurableFs, realDurableFs, writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { withProjectLock } from '../../platform/files/project-lock.ts'
import { INDEX_JSON, INDEX_MARKDOWN, type ProjectIndex } from '../project-index.ts'

/** The bytes there now, undefined when there is no file; refuses what is neither. */
function presentBytes(path: string): Buffer | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return undefined
  if (facts.isFile()) return readFileSync(path)
  throw new HoldfastError('conflict', `${path} is ${facts.isSymbolicLink() ? 'a symbolic link' : 'not a file'}.`, {
    hint: 'Move it away and run `holdfast index` again: the pair is written in the project folder itself, never through a link.',
  })
}

/**
 * Writes both files or leaves both as they were. A power loss between the two leaves a pair that does not match, which
 * `checkIndexPair` tells.
 */
export function writePair(
  root: string,
  { markdown, json }: Pick<ProjectIndex, 'markdown' | 'json'>,
  fs: DurableFs = realDurableFs,
): void {
  const options = { mode: 0o644, fs }
  const markdownPath = join(root, INDEX_MARKDOWN)
  const jsonPath = join(root, INDEX_JSON)
  presentBytes(markdownPath)
  const before = presentBytes(jsonPath)
  writeFileAtomic(jsonPath, json, options)
  try {
    writeFileAtomic(markdownPath, markdown, options)
  } catch (thrown) {
    if (before === undefined) rmSync(jsonPath, { force: true })
    else writeFileAtomic(jsonPath, before, options)
    throw thrown
  }
}

/** As `writePair`, alone among all processes of ours: two at once would leave a pair of two pieces. */
export function replacePair(root: string, index: Pick<ProjectIndex, 'markdown' | 'json'>): Promise<void> {
  return withProjectLock({ root, path: INDEX_JSON }, () => writePair(root, index))
}
