import { isAbsolute } from 'node:path'
import { MAX_KEY_CHARS } from '../../kernel/id.ts'
import { HEADER } from '../../wire/headers.ts'
import type { Caller } from './caller.ts'

function decoded(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    // Not encoded by us: a header that a person wrote into a client's settings.
    return value
  }
}

/** Who calls, as the request's headers tell it. What is no path or no id is left out, never guessed. */
export function callerOf(header: (name: string) => string | undefined): Caller {
  const cwd = decoded(header(HEADER.cwd))
  const sessionKey = decoded(header(HEADER.sessionKey))
  const harness = header(HEADER.harness)
  return {
    ...(cwd !== undefined && isAbsolute(cwd) && { cwd }),
    ...(sessionKey !== undefined && sessionKey.length <= MAX_KEY_CHARS && { sessionKey }),
    ...(harness !== undefined && /^[a-z][a-z0-9-]{0,39}$/.test(harness) && { harness }),
  }
}
