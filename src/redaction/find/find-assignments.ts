import { type SecretKeyword, nameEndAfter, findNextKeyword } from '../rules/secret-keywords.ts'
import { BARE, endOfRun, codeAt } from '../text/chars.ts'
import { createEscapeFinder } from '../text/chars.ts'
import { findBinding } from '../scan/find-binding.ts'
import { nameStart, classifyName } from '../rules/secret-name.ts'
import { createCharacterFinder } from '../text/chars.ts'
import { isLabelledSecret, findLabelledValue } from '../scan/trailing-label.ts'
import { fieldBehindValue, pairSpanBefore } from '../scan/paired-fields.ts'
import type { Span } from '../text/span.ts'
import type { SecretName } from '../scan/find-binding.ts'
import { type NameStrength, isSecretBehindName } from '../rules/secret-value.ts'
import { createPunctuationReader } from '../scan/value-end.ts'
import { type BoundName, findAssignedSecrets, spansWithEscapes, VALUE_CHARS } from '../scan/assigned-value.ts'
import { pattern } from '../text/patterns.ts'
import { looksRandomAfterName } from '../text/entropy.ts'

/** The part of a map of secrets that is read. */
const MAP_CHARS = 512

const NEWLINE = 10
const RETURN = 13
const SMALL_S = 115
const OPENING = 123

/** Whether a name makes every value of the map after it secret: `secrets`, `credentials`, `passwords`. */
function namesMap(text: string, { end, valueStart, strength, binding }: BoundName): boolean {
  if (binding !== 'assignment' || (codeAt(text, end - 1) | 32) !== SMALL_S) return false
  if (strength === 'key' || strength === 'bare-key' || strength === 'pass') return false
  const code = codeAt(text, valueStart)
  return code === OPENING || code === NEWLINE || code === RETURN
}

interface SecretMap {
  readonly spans: readonly Span[]
  readonly end: number
}

function endOfMap(text: string, start: number): number {
  const part = text.slice(start, start + MAP_CHARS)
  const found = codeAt(text, start) === OPENING ? part.indexOf('}') : part.search(pattern.outdent)
  return found < 0 ? start + part.length : start + found
}

/** `secrets = { conn = "…" }`: the values of a map that its name makes secret, where they can only be secrets. */
function readSecretMap(text: string, { valueStart }: BoundName): SecretMap {
  const end = endOfMap(text, valueStart)
  const spans: Span[] = []
  for (const found of text.slice(valueStart, end).matchAll(pattern.mapField)) {
    const value = found[1] ?? ''
    if (!looksRandomAfterName(value) || pattern.hashOrId.test(value)) continue
    if (!isSecretBehindName({ value, strength: 'secret', isLiteral: false })) continue
    const valueEnd = valueStart + found.index + found[0].length
    spans.push({ start: valueEnd - value.length, end: valueEnd, kind: 'secret' })
  }
  return { spans, end }
}

/** How many names in one unbroken run may fail before the rest of the run is skipped: keeps `key=key=key=…` linear. */
const MISSES_PER_RUN = 8

/** The word before matters only for a bare `key`; few keywords are that short. */
const KEY_CHARS = 3

function wordBefore(text: string, index: number): string {
  const sign = text[index - 1]
  if (sign === ' ') return text.slice(nameStart(text, index - 1), index - 1)
  return sign === '?' || sign === '&' ? sign : ''
}

function toSecretName(text: string, found: SecretKeyword, end: number): SecretName {
  return { start: nameStart(text, found.start), word: found.start, end }
}

function strengthAt(text: string, { word }: SecretKeyword, name: SecretName): NameStrength | undefined {
  const isBareKey = name.start === name.word && word.length === KEY_CHARS
  const before = text.slice(name.start, name.word)
  return classifyName({ word, before, wordBefore: isBareKey ? wordBefore(text, name.word) : '' })
}

/** The keyword as a name, when a value is bound to it and the name can mark a secret. */
function bindName(text: string, found: SecretKeyword, name: SecretName): BoundName | undefined {
  const link = findBinding(text, name)
  if (link === undefined) return undefined
  const strength = strengthAt(text, found, name)
  if (strength === undefined) return undefined
  const { start, word, end } = name
  return { start, end, before: text.slice(start, word), strength, binding: link.binding, valueStart: link.end }
}

/** A secret before its name: in the previous field, or before a label that describes it. */
function spanBefore(text: string, found: SecretKeyword, name: SecretName): Span | undefined {
  const field = fieldBehindValue(text, name)
  if (field >= 0) {
    const strength = strengthAt(text, found, name)
    return strength && pairSpanBefore(text, field, strength)
  }
  const noted = findLabelledValue(text, name)
  const strength = noted && strengthAt(text, found, name)
  if (!noted || !strength || !isLabelledSecret(text.slice(noted.start, noted.end), strength)) return undefined
  return { ...noted, kind: strength === 'password' ? 'password' : 'secret' }
}

/** An unbroken run of characters; any suffix of it could be an unquoted value. */
interface CharacterRun {
  readonly start: number
  readonly end: number
}

function runAt(text: string, start: number): CharacterRun {
  return { start, end: endOfRun(BARE, text, start, VALUE_CHARS) }
}

/** The end of an unquoted value that starts inside the run: the run's end, unless the run was too long to be read whole. */
function bareEndIn(run: CharacterRun, text: string, start: number): number {
  if (run.end - run.start < VALUE_CHARS) return run.end
  return endOfRun(BARE, text, run.end, start + VALUE_CHARS - run.end)
}

/** Values after a name with a secret keyword: `password: …`, `API_KEY=…`, `--token …`, `<secret>…`. `written` is the same text with its newlines still escaped. */
export function findAssignments(text: string, written: string = text): Span[] {
  const spans: Span[] = []
  const nextTag = createCharacterFinder(text, '<')
  const nextEscape = createEscapeFinder(written)
  const endWithPunctuation = createPunctuationReader(text)
  let run: CharacterRun = { start: 0, end: 0 }
  let misses = 0
  let mapEnd = 0
  let next = 0
  for (let found = findNextKeyword(text, 0); found !== undefined; found = findNextKeyword(text, next)) {
    next = found.end
    const end = nameEndAfter(text, found.end)
    if (end < 0) continue
    const name = toSecretName(text, found, end)
    const bound = bindName(text, found, name)
    if (!bound) {
      const before = spanBefore(text, found, name)
      if (before) spans.push(before)
      continue
    }
    if (bound.valueStart >= run.end) {
      run = runAt(text, bound.valueStart)
      misses = 0
    } else if (misses >= MISSES_PER_RUN) {
      next = Math.max(run.end, next)
      continue
    }
    if (written !== text) spans.push(...spansWithEscapes(written, bound, { nextTag, nextEscape }))
    const bareEnd = bareEndIn(run, text, bound.valueStart)
    const behind = findAssignedSecrets(text, bound, { bareEnd, nextTag, endWithPunctuation })
    const last = behind.at(-1)
    if (last === undefined) {
      misses += 1
      if (bound.valueStart >= mapEnd && namesMap(text, bound)) {
        const map = readSecretMap(text, bound)
        mapEnd = map.end
        spans.push(...map.spans)
      }
      continue
    }
    next = Math.max(next, last.end)
    spans.push(...behind)
  }
  return spans
}
