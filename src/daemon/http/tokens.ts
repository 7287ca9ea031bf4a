import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { HoldfastError } from '../../kernel/errors.ts'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { createFileOnce } from '../../platform/files/atomic-file.ts'
import { getErrorCode } from '../../platform/base/errno.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** Constant time for equal lengths. The length of a token is not a secret. */
export function isSameToken(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function readToken(file: string): string | undefined {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return undefined
    throw new HoldfastError('forbidden', `The token file ${file} cannot be opened.`, { cause: thrown })
  }
  try {
    const facts = fstatSync(fd)
    const isOurs = process.getuid === undefined || facts.uid === process.getuid()
    if (!facts.isFile() || !isOurs || (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)) {
      throw new HoldfastError('forbidden', `The token file ${file} is open to other users.`, {
        hint: `Delete ${file}; the next start creates a new token. Other users may have read the old one.`,
      })
    }
    const text = readFileSync(fd, 'utf8').trim()
    // Not a valid token, so no client can use it, and a new one breaks nothing.
    return TOKEN.test(text) ? text : undefined
  } finally {
    closeSync(fd)
  }
}

/** The token in `file`, created when missing. Refuses a file that others can read. Call it only while holding the lock. */
export function ensureToken(file: string): string {
  const known = readToken(file)
  if (known !== undefined) return known
  const made = newToken()
  // `init` creates the hook token without the lock and may have written it to settings by now: the first one wins.
  if (createFileOnce(file, `${made}\n`)) return made
  const other = readToken(file)
  if (other !== undefined) return other
  writeFileAtomic(file, `${made}\n`, { mode: 0o600 })
  return made
}
