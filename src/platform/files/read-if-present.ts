import { readFileSync } from 'node:fs'
import { getErrorCode } from '../base/errno.ts'

/** The text of a file; undefined when it does not exist. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}
