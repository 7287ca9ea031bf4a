import { HoldfastError, messageOf } from '../../../kernel/errors.ts'

/** Why a statement failed, as far as what to do about it differs. */
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

/** None of our numbers is. Both drivers say it in these words, and neither with a result code. */
const TOO_LARGE = /too large to be represented as a JavaScript number/

/** Damage that SQLite itself does not see, because the file is still a database. */
export class DamageFound extends Error {
  readonly errcode = 11
}

export function faultOf(thrown: unknown): SqliteFault {
  if (!(thrown instanceof Error)) return 'other'
  if (!('errcode' in thrown) || typeof thrown.errcode !== 'number')
    return TOO_LARGE.test(thrown.message) ? 'corrupt' : 'other'
  return FAULTS.get(thrown.errcode & 0xff) ?? 'other'
}

/** Undefined when damage is in the way. Anything that is not damage is thrown. */
export function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (thrown) {
    if (faultOf(thrown) === 'corrupt') return undefined
    throw thrown
  }
}

const HINTS: Readonly<Record<Exclude<SqliteFault, 'corrupt' | 'other'>, string>> = {
  full: 'Free some disk space; writing goes on by itself after that. What is kept can still be read.',
  io: 'The disk reported an error. Check it; the next write opens the database anew.',
  'read-only': 'Make the file and its folder writable for your user. What is kept can still be read.',
  busy: 'Another program holds the database. Close it, and try again.',
}

/** In our words, with a way out. What is no fault of the database (a bad value, a refusal of ours) passes as it is. */
export function translate(thrown: unknown, file: string): unknown {
  if (thrown instanceof HoldfastError) return thrown
  const fault = faultOf(thrown)
  if (fault === 'other') return thrown
  if (fault === 'corrupt') {
    return new HoldfastError('store-corrupt', `The database ${file} is damaged: ${messageOf(thrown)}.`, {
      hint: 'Restart the daemon: it sets the damaged file aside and saves what can be read.',
      cause: thrown,
    })
  }
  return new HoldfastError('store-unavailable', `The database ${file} cannot be written: ${messageOf(thrown)}.`, {
    hint: HINTS[fault],
    cause: thrown,
  })
}
