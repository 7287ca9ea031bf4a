import { clipMiddle } from '../../kernel/text/clip.ts'

/** Limits for a single text, tried in order until the payload is small enough. */
const TEXT_LIMITS = [100_000, 20_000, 2_000] as const

/**
 * A payload in JSON of at most `maxBytes`: of its longest texts the beginning and the end, where a request or the result of a
 * test run stands. Undefined if it is not JSON or stays larger.
 */
export function reducePayload(text: string, maxBytes: number): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // Cut off, or not JSON: nothing of it can be read.
    return undefined
  }
  for (const limit of TEXT_LIMITS) {
    const reduced = JSON.stringify(parsed, (_key, value: unknown) =>
      typeof value === 'string' ? clipMiddle(value, limit) : value,
    )
    if (Buffer.byteLength(reduced) <= maxBytes) return reduced
  }
  return undefined
}
