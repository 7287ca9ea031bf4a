import { isPartOfKey } from './scan/key-lines.ts'
import { pattern } from './text/patterns.ts'
import { secretKindOfField } from './rules/secret-field.ts'
import type { Span } from './text/span.ts'
import { markFor, replaceSpans } from './text/span.ts'
import { looksRandom, textureOf } from './text/entropy.ts'

interface Placed {
  readonly text: string
  /** In the text that the items make together. */
  readonly start: number
  readonly end: number
}

function place(items: readonly string[]): readonly Placed[] {
  let next = 0
  return items.map((text) => {
    const start = next
    next += text.length + 1
    return { text, start, end: start + text.length }
  })
}

/** The part of a span that lies in an item, counted from the item's own beginning. */
function partOf({ start, end, kind }: Span, item: Placed, isStrict: boolean): Span | undefined {
  const from = Math.max(start, item.start)
  const to = Math.min(end, item.end)
  if (from >= to) return undefined
  const part = { start: from - item.start, end: to - item.start, kind }
  if (start >= item.start && end <= item.end) return part
  // Two lines of armour may stand far apart: what is between them and no key stays.
  const isAll = kind !== 'private-key' || isPartOfKey(item.text.slice(part.start, part.end), isStrict)
  return isAll ? part : undefined
}

interface ItemRules {
  /** Only spans that lie in more than one item. */
  readonly isAcrossOnly?: boolean
  /** The items are of different kinds, such as a text and a status: a short word is not taken for the end of a key. */
  readonly isStrict?: boolean
}

/** The items without the spans found in the text that they make together, one line end between each; undefined when none of it goes. */
export function replaceInItems(
  items: readonly string[],
  spans: readonly Span[],
  { isAcrossOnly = false, isStrict = false }: ItemRules = {},
): readonly string[] | undefined {
  let isChanged = false
  const clean = place(items).map((item) => {
    const parts = spans.flatMap((span) => {
      const isAcross = span.start < item.start || span.end > item.end
      return isAcrossOnly && !isAcross ? [] : (partOf(span, item, isStrict) ?? [])
    })
    const text = replaceSpans(item.text, parts)
    if (text !== item.text) isChanged = true
    return text
  })
  return isChanged ? clean : undefined
}

const LONGEST_NAME = 80

/** `the DB password` and then letters that nobody chose: any other word may be an item like the one before. */
function kindByWords(words: string, value: string): string | undefined {
  const { lower, upper, digits } = textureOf(value)
  if (Math.min(lower, upper, digits) === 0 || !looksRandom(value) || pattern.spaced.test(value)) return undefined
  return secretKindOfField(words.slice(words.lastIndexOf(' ') + 1), value, { isLiteral: false })
}

/** `--password`, `DB_PASSWORD:` and then its value as the next item, as in a list of arguments. */
export function kindByItemBefore(before: string | undefined, value: string): string | undefined {
  if (before === undefined || before.length > LONGEST_NAME || value.length > 4_096) return undefined
  let start = 0
  while (before[start] === '-') start += 1
  const end = before.endsWith(':') || before.endsWith('=') ? before.length - 1 : before.length
  const name = before.slice(start, end)
  if (name === '') return undefined
  if (pattern.blank.test(name)) return kindByWords(name, value)
  // A bare word such as `token` may be an item like any other; a flag, an assignment and a variable's name are not.
  const isVariable = pattern.envName.test(name) && name.includes('_')
  const isName = start > 0 || end < before.length || isVariable
  const kind = isName ? secretKindOfField(name, value, { isLiteral: false }) : undefined
  return kind !== undefined && value !== markFor(kind) ? kind : undefined
}
