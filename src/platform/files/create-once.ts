import { linkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from './atomic-file.ts'
import { syncFolder } from './durable-folder.ts'
import { errnoOf } from '../base/errno.ts'

/** What file systems without hard links answer, such as exFAT and some of virtual machines. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * Makes `path` where nothing is, whole from its first moment: whoever reads it meanwhile sees all of it or none. False where
 * somebody else made it first, whose bytes stay. 0600, durable when it returns; the folder has to be there.
 */
export function createFileOnce(path: string, content: string): boolean {
  const isMade = createWhole(path, content)
  // Also when another process made it: what the caller does with the content must not outlive the file.
  syncFolder(dirname(path))
  return isMade
}

function createWhole(path: string, content: string): boolean {
  const whole = `${path}.${process.pid}.${process.hrtime.bigint()}.new`
  writeFileAtomic(whole, content)
  try {
    linkSync(whole, path)
    return true
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false
    if (!NO_LINKS.has(errnoOf(thrown) ?? '')) throw thrown
    return createWithoutLink(path, content)
  } finally {
    unlinkSync(whole)
  }
}

function createWithoutLink(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false
    throw thrown
  }
}
