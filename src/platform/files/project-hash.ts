import { createHash } from 'node:crypto'
import { HoldfastError } from '../../kernel/errors.ts'
import { type ProjectPath, readProjectFile } from './project-file.ts'

export interface FilePresence {
  readonly isThere: boolean
  /** SHA-256; absent when it is too large, a link, or cannot be read. */
  readonly hash?: string
}

/** Whether a file of the project is there, and what it holds. A link or a device is there, and is not read. */
export function hashProjectFile(at: ProjectPath, maxBytes: number): FilePresence {
  try {
    const found = readProjectFile(at, maxBytes)
    if (found === undefined) return { isThere: false }
    return { isThere: true, hash: createHash('sha256').update(found.bytes).digest('hex') }
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return { isThere: thrown.code !== 'invalid-input' }
    throw thrown
  }
}
