import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'

/** Why a statement failed, by what to do about it. */
export type SqliteFault = 'corrupt' | 'io' | 'full' | 'read-only' | 'busy' | 'other'

/** By primary result code: https://sqlite.org/rescode.html */
const FAULTS: ReadonlyMap<number, SqliteFault> = new Map([
  [5, 'busy'], // BUSY
  [6, 'busy'], // LOCKED
  [8, 'read-only'], // READONLY
  [10, 'io'], // IOERR
  [11, 'corrupt'], // CORRUPT
  [13, 'full'], // FULL
  [14, 'read-only'], // CANTOPEN
  [26, 'corrupt'], // NOTADB
])

/** None of our numbers is that large. Both drivers use this message, without a result code. */
const TOO_LARGE = /too large to be represented as a JavaScript number/

/** Damage that SQLite does not detect, because the file is still a valid database. */
export class DamageFound extends Error {
  readonly errcode = 11
}

export function classifyFault(thrown: unknown): SqliteFault {
  if (!(thrown instanceof Error)) return 'other'
  if (!('errcode' in thrown) || typeof thrown.errcode !== 'number')
    return TOO_LARGE.test(thrown.message) ? 'corrupt' : 'other'
  return FAULTS.get(thrown.errcode & 0xff) ?? 'other'
}

/** Undefined on damage. Any other error is thrown. */
export function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (thrown) {
    if (classifyFault(thrown) === 'corrupt') return undefined
    throw thrown
  }
}

const HINTS: Readonly<Record<Exclude<SqliteFault, 'corrupt' | 'other'>, string>> = {
  full: 'Free some disk space; writing then resumes by itself. Stored data can still be read.',
  io: 'The disk reported an error. Check it; the next write opens the database again.',
  'read-only': 'Make the file and its folder writable for your user. Stored data can still be read.',
  busy: 'Another program has locked the database. Close it, and try again.',
}

/** Translates a database error, with a hint. Other errors (a bad value, our own refusals) pass unchanged. */
export function translate(thrown: unknown, file: string): unknown {
  if (thrown instanceof HoldfastError) return thrown
  const fault = classifyFault(thrown)
  if (fault === 'other') return thrown
  if (fault === 'corrupt') {
    return new HoldfastError('store-corrupt', `The database ${file} is damaged: ${getErrorMessage(thrown)}.`, {
      hint: 'Restart the daemon: it quarantines the damaged file and saves what can be read.',
      cause: thrown,
    })
  }
  return new HoldfastError('store-unavailable', `The database ${file} cannot be written: ${getErrorMessage(thrown)}.`, {
    hint: HINTS[fault],
    cause: thrown,
  })
}
