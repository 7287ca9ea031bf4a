const LEFT_OUT = (chars: number) => `\n[${chars} characters left out]`

/** Limits for a single text, tried in order until the payload is small enough. */
const TEXT_LIMITS = [100_000, 20_000, 2_000] as const

/**
 * The beginning of a text, up to the end of a line or else of a word: redaction comes later, and half a secret is not
 * recognised. A text without such a place is left out.
 */
function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, limit)
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '))
  const line = head.lastIndexOf('\n')
  const cut = head.slice(0, Math.max(0, line > limit / 2 ? line : end)).toWellFormed()
  return cut + LEFT_OUT(text.length - cut.length)
}

/** A payload in JSON with its longest texts shortened to at most `maxBytes`; undefined if it is not JSON or stays larger. */
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
      typeof value === 'string' ? clipText(value, limit) : value,
    )
    if (Buffer.byteLength(reduced) <= maxBytes) return reduced
  }
  return undefined
}
