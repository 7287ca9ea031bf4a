import { findAssignments } from './find-assignments.ts'
import { findCommandSecrets } from './find-command-secrets.ts'
import { findCookies } from './find-cookies.ts'
import { findManifestSecrets } from './find-manifests.ts'
import { findPrivateKeys } from './find-private-keys.ts'
import { findSecretLiterals, findShapes } from './find-shapes.ts'
import { findValuesBelow } from './find-values-below.ts'
import { createWrappedFinder } from './find-wrapped.ts'
import { heldWords } from '../scan/trigram-filter.ts'
import { withLineEnds } from '../text/newlines.ts'
import type { Span } from '../text/span.ts'
import { pattern } from '../text/patterns.ts'
import { endOfRun, KEY_LETTER } from '../text/chars.ts'
import { endOfKeyLine } from '../scan/key-lines.ts'

/** `-----BEGIN` in base64: a kubeconfig and a CI variable hold a whole PEM file so. */
const ENCODED_ARMOUR = 'LS0tLS1CRUdJTi'
/** Enough for the first line of the file. */
const HEAD_CHARS = 80
const LINE_CHARS = 65_536

function isPrivateKey(head: string): boolean {
  try {
    return atob(head.slice(0, head.length - (head.length % 4))).includes('PRIVATE KEY')
  } catch {
    // Not base64 after all; `atob` has no other way to say so.
    return false
  }
}

/** Whole PEM files of private keys in base64, on one line or wrapped over several. Certificates stay. */
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

/** Over the lines below that go on with it. The last may be short, so it goes with a line above that was full. */
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

/** A short line of a key's letters and nothing else. */
function endOfTail(text: string, from: number): number {
  let start = from
  while (start < from + 64 && (text[start] === ' ' || text[start] === '\t')) start += 1
  const end = endOfRun(KEY_LETTER, text, start, LINE_CHARS)
  const isAlone = text[end] === undefined || text[end] === '\n' || text[end] === '\r'
  return end > start && isAlone ? end : -1
}

const FEWEST_WORDS = 12
/** Words that every wallet's list leaves out and every sentence needs. */
const proseWords = new Set('the and for are was not its from which into has can then when does'.split(' '))

/** The words a wallet is restored from, behind a name that says so: 12 to 24 of three to eight letters, in threes. */
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

/** What is told by its line: the same in a file, and in a text that quotes the file with its line ends escaped. */
export function findInLines(text: string): Span[] {
  const lines = withLineEnds(text)
  const holds = heldWords(lines)
  return [
    ...findShapes(lines, holds),
    ...findSecretLiterals(lines, holds),
    ...findManifestSecrets(lines, holds),
    ...findCookies(lines, holds),
    ...findCommandSecrets(lines),
    ...findPhrases(lines),
    ...findAssignments(lines, text),
    ...findEncodedKeys(lines),
    ...findWrapped(lines),
    ...findValuesBelow(lines),
    ...(lines === text ? [] : findPrivateKeys(lines)),
  ]
}
