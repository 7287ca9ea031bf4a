import { codeAt } from '../text/chars.ts'
import { pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { looksDrawn } from '../text/entropy.ts'
import { isSecretBehindName } from './secret-value.ts'
import type { Linked } from '../scan/assigned-value.ts'

/** As far as a map of secrets is read. */
const MAP_CHARS = 512

const NEWLINE = 10
const RETURN = 13
const SMALL_S = 115
const OPENING = 123

/** Whether a name says that all in the map behind it is secret: `secrets`, `credentials`, `passwords`. */
export function namesMap(text: string, { end, valueStart, strength, tie }: Linked): boolean {
  if (tie !== 'assignment' || (codeAt(text, end - 1) | 32) !== SMALL_S) return false
  if (strength === 'key' || strength === 'bare-key' || strength === 'pass') return false
  const code = codeAt(text, valueStart)
  return code === OPENING || code === NEWLINE || code === RETURN
}

export interface SecretMap {
  readonly spans: readonly Span[]
  readonly end: number
}

function endOfMap(text: string, start: number): number {
  const part = text.slice(start, start + MAP_CHARS)
  const found = codeAt(text, start) === OPENING ? part.indexOf('}') : part.search(pattern.outdent)
  return found < 0 ? start + part.length : start + found
}

/** `secrets = { conn = "…" }`: the values of a map that its name makes secret, as far as nothing but a secret may look like them. */
export function readSecretMap(text: string, { valueStart }: Linked): SecretMap {
  const end = endOfMap(text, valueStart)
  const spans: Span[] = []
  for (const found of text.slice(valueStart, end).matchAll(pattern.mapField)) {
    const value = found[1] ?? ''
    if (!looksDrawn(value) || pattern.hashOrId.test(value)) continue
    if (!isSecretBehindName({ value, strength: 'secret', isLiteral: false })) continue
    const valueEnd = valueStart + found.index + found[0].length
    spans.push({ start: valueEnd - value.length, end: valueEnd, kind: 'secret' })
  }
  return { spans, end }
}
