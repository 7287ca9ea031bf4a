import { findAssignments } from './find-assignments.ts'
import { findCommandSecrets } from './find-command-secrets.ts'
import { findCookies } from './find-command-secrets.ts'
import { findManifestSecrets } from './find-manifests.ts'
import { findPrivateKeys } from './find-private-keys.ts'
import { findSecretLiterals, findCredentialPatterns } from './find-credential-patterns.ts'
import { findValuesOnNextLine } from './find-values-on-next-line.ts'
import { createWrappedFinder } from './find-wrapped.ts'
import { createTrigramFilter } from '../scan/trigram-filter.ts'
import { unescapeNewlines } from '../text/chars.ts'
import type { Span } from '../text/span.ts'
import { pattern } from '../text/patterns.ts'
import { endOfRun, KEY_LETTER } from '../text/chars.ts'
import { endOfKeyLine } from '../scan/key-lines.ts'

/** `-----BEGIN` in base64: kubeconfigs and CI variables hold whole PEM files this way. */
const ENCODED_ARMOUR = 'LS0tLS1CRUdJTi'
const HEAD_CHARS = 80
const LINE_CHARS = 65_536

function isPrivateKey(head: string): boolean {
  try {
    return atob(head.slice(0, head.length - (head.length % 4))).includes('PRIVATE KEY')
  } catch {
    // `atob` throws on text that is not base64.
    return false
  }
}

/** PEM private keys encoded in base64, on one line or wrapped. Certificates stay. */
function findEncodedKeys(text: string): Span[] {
  const spans: Span[] = []
  for (let start = text.indexOf(ENCODED_ARMOUR); start >= 0; ) {
    let end = endOfRun(KEY_LETTER, text, start, LINE_CHARS)
    if (isPrivateKey(text.slice(start, Math.min(end, start + HEAD_CHARS)))) {
      end = endOfFollowing(text, end)
      spans.push({ start, end, kind: 'private-key' })
    }
    start = text.indexOf(ENCODED_ARMOUR, Math.max(end, start + 1))
  }
  return spans
}

/** The end of the wrapped lines that follow. The last line may be short if the one above was full. */
function endOfFollowing(text: string, from: number): number {
  const newline = text.slice(from, from + 24).indexOf('\n')
  if (newline < 0) return from
  let end = from + newline + 1
  let last = from
  for (let next = endOfKeyLine(text, end); next > end; next = endOfKeyLine(text, end)) {
    end = next
    last = text[end - 1] === '\n' ? end - 1 : end
  }
  const tail = last > from ? endOfTail(text, end) : -1
  return tail < 0 ? last : tail
}

/** The end of a short line of base64 characters only. */
function endOfTail(text: string, from: number): number {
  let start = from
  while (start < from + 64 && (text[start] === ' ' || text[start] === '\t')) start += 1
  const end = endOfRun(KEY_LETTER, text, start, LINE_CHARS)
  const isAlone = text[end] === undefined || text[end] === '\n' || text[end] === '\r'
  return end > start && isAlone ? end : -1
}

const FEWEST_WORDS = 12
/** Words that no wallet word list has and most sentences need. */
const proseWords = new Set('the and for are was not its from which into has can then when does'.split(' '))

/** A wallet's recovery phrase after a label: 12 to 24 words of three to eight letters, a multiple of three. */
function findPhrases(text: string): Span[] {
  const spans: Span[] = []
  const { phraseName, phrase } = pattern
  phraseName.lastIndex = 0
  while (phraseName.test(text)) {
    const start = phraseName.lastIndex
    phrase.lastIndex = start
    const words = phrase.exec(text)?.[0].split(pattern.spaced) ?? []
    if (words.length < FEWEST_WORDS || words.length % 3 !== 0 || words.some((word) => proseWords.has(word))) continue
    spans.push({ start, end: phrase.lastIndex, kind: 'seed-phrase' })
  }
  return spans
}

const findWrapped = createWrappedFinder()

/** Secrets recognized by their line, in a file or in text that quotes the file with escaped newlines. */
export function findInLines(text: string): Span[] {
  const lines = unescapeNewlines(text)
  const contains = createTrigramFilter(lines)
  return [
    ...findCredentialPatterns(lines, contains),
    ...findSecretLiterals(lines, contains),
    ...findManifestSecrets(lines, contains),
    ...findCookies(lines, contains),
    ...findCommandSecrets(lines),
    ...findPhrases(lines),
    ...findAssignments(lines, text),
    ...findEncodedKeys(lines),
    ...findWrapped(lines),
    ...findValuesOnNextLine(lines),
    ...(lines === text ? [] : findPrivateKeys(lines)),
  ]
}
