/** Every deliberate failure. An entry point without an answer for one of these does not compile. */
export const ERROR_CODES = [
  'invalid-input',
  'not-found',
  'conflict',
  'secret-refused',
  'unauthorized',
  'forbidden',
  'too-large',
  'rate-limited',
  'settings-unreadable',
  'store-unavailable',
  'store-corrupt',
  'store-too-old',
  'store-too-new',
  'store-not-yours',
  'daemon-unavailable',
  'unsupported',
  'internal',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

export interface ErrorDetails {
  /** What the reader can do about it, as a sentence. */
  readonly hint?: string
  readonly cause?: unknown
}

export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = details.hint
  }
}

export function getErrorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** For servers. Complete: a new code does not compile until it has a status here. */
export const HTTP_STATUS = {
  'invalid-input': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'secret-refused': 422,
  'rate-limited': 429,
  'settings-unreadable': 500,
  internal: 500,
  unsupported: 501,
  'store-unavailable': 503,
  'store-corrupt': 503,
  'store-too-old': 503,
  'store-too-new': 503,
  'store-not-yours': 503,
  'daemon-unavailable': 503,
} as const satisfies Record<ErrorCode, number>
