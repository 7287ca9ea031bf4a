import { DatabaseError } from 'pg'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'

/** rolled-back and unreachable: nothing was kept. lost: the connection broke in the middle, and we cannot know. */
export type PostgresFault = 'rolled-back' | 'unreachable' | 'lost' | 'other'

/** A failure of the connection, which pg reports without a code of its own. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault'
  readonly fault: PostgresFault

  constructor(fault: 'unreachable' | 'lost', cause: unknown) {
    super(messageOf(cause), { cause })
    this.fault = fault
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const ROLLED_BACK: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])
const UNREACHABLE: ReadonlySet<string> = new Set(['57P03', '53300'])
const LOST: ReadonlySet<string> = new Set(['57P01', '57P02', '57P05'])
/** Disk full, read-only transaction, too little memory; and the ways in which a login is refused. */
const UNUSABLE: ReadonlySet<string> = new Set(['53100', '25006', '53200', '28000', '28P01', '3D000'])

export function faultOf(thrown: unknown): PostgresFault {
  if (thrown instanceof ConnectionFault) return thrown.fault
  const code = thrown instanceof DatabaseError ? (thrown.code ?? '') : ''
  if (ROLLED_BACK.has(code)) return 'rolled-back'
  if (UNREACHABLE.has(code)) return 'unreachable'
  if (LOST.has(code) || code.startsWith('08')) return 'lost'
  return 'other'
}

export function translate(thrown: unknown): unknown {
  if (thrown instanceof HoldfastError) return thrown
  const isUnusable = thrown instanceof DatabaseError && UNUSABLE.has(thrown.code ?? '')
  if (faultOf(thrown) === 'other' && !isUnusable) return thrown
  return new HoldfastError('store-unavailable', `PostgreSQL cannot be used: ${messageOf(thrown)}.`, {
    hint: 'Check that the server runs and accepts writes, and that `store.url` is right; writing goes on by itself after that.',
    cause: thrown,
  })
}
