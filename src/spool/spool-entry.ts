/** One hook call that waits for the daemon. */
export interface SpoolEntry {
  readonly id: string
  /** UTC ISO time of entry. */
  readonly at: string
  readonly harness: string
  /** The harness's own name for the hook. */
  readonly hook: string
  /** As the harness wrote it, without secrets. */
  readonly payload: unknown
  readonly pid?: number
  readonly pidStartedAt?: string
  readonly harnessVersion?: string
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const optional = (value: unknown, type: 'string' | 'number') => value === undefined || typeof value === type

function isSpoolEntry(value: unknown): value is SpoolEntry {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    value['id'] !== '' &&
    typeof value['at'] === 'string' &&
    typeof value['harness'] === 'string' &&
    typeof value['hook'] === 'string' &&
    'payload' in value &&
    optional(value['pid'], 'number') &&
    optional(value['pidStartedAt'], 'string') &&
    optional(value['harnessVersion'], 'string')
  )
}

/** Undefined for anything that is not an entry. */
export function parseSpoolEntry(text: string): SpoolEntry | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isSpoolEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What ends or sums up a session is the last thing to give up for room. */
export function isKeptEntry(hook: string): boolean {
  return /session_?end|compact|digest/i.test(hook)
}
