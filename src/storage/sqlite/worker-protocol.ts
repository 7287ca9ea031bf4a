import { ERROR_CODES, HoldfastError, getErrorMessage, type ErrorCode } from '../../kernel/errors.ts'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import type { FileIdentity } from './connection/database-file.ts'

/** Every method of the port that is called in the worker. */
export type StoreMethod = Exclude<keyof Store, symbol>

/** The port's methods with their arguments and results. */
export type Methods = { [Name in StoreMethod]: (...args: Parameters<Store[Name]>) => ReturnType<Store[Name]> }

export interface WorkerCall<Name extends StoreMethod, Args> {
  readonly kind: 'call'
  readonly id: number
  readonly method: Name
  readonly args: Args
}
export interface Close {
  readonly kind: 'close'
}

export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
}

export type WorkerReply<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: WireError }

export type FromWorker<Value = unknown> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-opened'; readonly error: WireError }
  | { readonly kind: 'reply'; readonly id: number; readonly reply: WorkerReply<Value> }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly message: string; readonly fields?: object }

/** What the worker needs to open the store. */
export interface WorkerSettings {
  readonly file: string
  readonly backupDir?: string
  readonly quarantineDir?: string
  readonly lock?: FileIdentity
  readonly setsAsideLater?: boolean
  /** The word table for ranking by meaning; without it, full text alone. */
  readonly wordTable?: string
}

export function toWire(thrown: unknown): WireError {
  if (thrown instanceof HoldfastError) return { code: thrown.code, message: thrown.message, hint: thrown.hint }
  return { code: 'internal', message: getErrorMessage(thrown) }
}

export function fromWire({ code, message, hint }: WireError): HoldfastError {
  return new HoldfastError(ERROR_CODES.includes(code) ? code : 'internal', message, { hint })
}
