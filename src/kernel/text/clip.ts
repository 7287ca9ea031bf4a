/** Part of redaction's patterns too: one test proves all of them linear. */
export const clipPattern = {
  blank: /\s/,
  closes: /["\]}\d]/,
  nameNearby:
    /pass|pwd|secret|token|cred|auth|key|bearer|basic|cookie|mnemonic|phrase|mysql|mariadb|redis|openssl|curl|zip|7z|rar|sig/i,
  base64Line: /^(?:[ \t]{0,8}\d{1,6}[\t→:|])?[ \t>|"',+-]{0,32}[A-Za-z0-9+/=]{16,512}[ \t"',]{0,8}$/,
}

/** Share of the result that comes from the head, which says more than the tail. */
const HEAD_SHARE = 0.6
/** Cut at a newline if it is within this share of the limit. */
const LINE_SHARE = 0.3
/** A key and its value are closer than this. */
const NAME_REACH = 64

/** Lone surrogates become U+FFFD; the same string if there are none. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

const MARK_OPENING = ' … ['
const MARK_CLOSING = ' characters left out] … '

function mark(leftOut: number): string {
  return `${MARK_OPENING}${leftOut}${MARK_CLOSING}`
}

/** How many characters the cut leaves out, including those of an earlier cut inside it. */
function countCharacters(text: string): number {
  const closing = text.indexOf(MARK_CLOSING)
  const opening = closing < 0 ? -1 : text.lastIndexOf(MARK_OPENING, closing)
  const earlier = opening < 0 ? Number.NaN : Number(text.slice(opening + MARK_OPENING.length, closing))
  if (!Number.isSafeInteger(earlier) || earlier < 0) return text.length
  return text.length - (closing + MARK_CLOSING.length - opening) + earlier
}

/** Between two words, or between two members of a JSON text without spaces. */
function isSeam(text: string, index: number): boolean {
  const before = text[index - 1] ?? ' '
  if (clipPattern.blank.test(before) || clipPattern.blank.test(text[index] ?? ' ')) return true
  return before === ',' && clipPattern.closes.test(text[index - 2] ?? '')
}

function headEnd(text: string, limit: number): number {
  const line = text.lastIndexOf('\n', limit)
  if (line > limit * (1 - LINE_SHARE)) return line
  let end = limit
  while (end > 0 && !isSeam(text, end)) end -= 1
  return end
}

/** A cut here would separate a value from its key: `Authorization: Bearer` before it, the token after. */
function partsNameFromValue(text: string, index: number): boolean {
  return clipPattern.nameNearby.test(text.slice(Math.max(0, index - NAME_REACH), index))
}

function tailStart(text: string, limit: number): number {
  const line = text.indexOf('\n', limit)
  if (line >= 0 && line < limit + (text.length - limit) * LINE_SHARE) return line + 1
  let start = limit
  while (start < text.length && (!isSeam(text, start) || partsNameFromValue(text, start))) start += 1
  return start
}

/** Lines of a key are removed together: a part of a key cannot be recognised as one. */
function withoutLastKeyLines(head: string): string {
  let end = head.length
  for (;;) {
    const start = head.lastIndexOf('\n', end - 1) + 1
    if (!clipPattern.base64Line.test(head.slice(start, end))) return head.slice(0, end)
    end = Math.max(0, start - 1)
  }
}

function withoutFirstKeyLines(tail: string): string {
  let start = 0
  for (;;) {
    const next = tail.indexOf('\n', start)
    const end = next < 0 ? tail.length : next
    if (!clipPattern.base64Line.test(tail.slice(start, end))) return tail.slice(start)
    start = Math.min(tail.length, end + 1)
  }
}

/**
 * At most `maxChars` of a text, from its head and its tail, with the number of omitted characters in between. Does not cut
 * through a word or between a key and its secret: half a credential, or one without its key, would not be recognised
 * by the redactor.
 */
export function clipMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const room = maxChars - mark(countCharacters(text)).length
  if (room <= 0) return ''
  const headRoom = Math.floor(room * HEAD_SHARE)
  const head = withoutLastKeyLines(text.slice(0, headEnd(text, headRoom)))
  const tail = withoutFirstKeyLines(text.slice(tailStart(text, text.length - (room - headRoom))))
  return `${head}${mark(countCharacters(text.slice(head.length, text.length - tail.length)))}${tail}`
}
