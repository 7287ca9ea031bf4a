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
