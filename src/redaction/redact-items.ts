import { isPartOfKey } from './scan/key-lines.ts'
import { pattern } from './text/patterns.ts'
import { classifyField } from './rules/secret-keywords.ts'
import type { Span } from './text/span.ts'
import { markFor, replaceSpans } from './text/span.ts'
import { looksRandom, measureTexture } from './text/entropy.ts'

interface JoinedItem {
  readonly text: string
  /** Offset in the joined text. */
  readonly start: number
  readonly end: number
}

function positionItems(items: readonly string[]): readonly JoinedItem[] {
  let next = 0
  return items.map((text) => {
    const start = next
    next += text.length + 1
    return { text, start, end: start + text.length }
  })
}

/** The part of a span that lies in an item, relative to the item's start. */
function clipToItem({ start, end, kind }: Span, item: JoinedItem, isStrict: boolean): Span | undefined {
  const from = Math.max(start, item.start)
  const to = Math.min(end, item.end)
  if (from >= to) return undefined
  const part = { start: from - item.start, end: to - item.start, kind }
  if (start >= item.start && end <= item.end) return part
  // Two armour lines may be far apart: what is between them and not a key stays.
  const isAll = kind !== 'private-key' || isPartOfKey(item.text.slice(part.start, part.end), isStrict)
  return isAll ? part : undefined
}

interface ItemRules {
  /** Only spans that cover more than one item. */
  readonly isAcrossOnly?: boolean
  /** The items are of different kinds, such as a text and a status: a short word is not taken as the end of a key. */
  readonly isStrict?: boolean
}

/** Replaces spans of the text that joins the items with newlines; undefined when nothing changes. */
export function replaceInItems(
  items: readonly string[],
  spans: readonly Span[],
  { isAcrossOnly = false, isStrict = false }: ItemRules = {},
): readonly string[] | undefined {
  let isChanged = false
  const clean = positionItems(items).map((item) => {
    const parts = spans.flatMap((span) => {
      const isAcross = span.start < item.start || span.end > item.end
      return isAcrossOnly && !isAcross ? [] : (clipToItem(span, item, isStrict) ?? [])
    })
    const text = replaceSpans(item.text, parts)
    if (text !== item.text) isChanged = true
    return text
  })
  return isChanged ? clean : undefined
}

const LONGEST_NAME = 80

/** `the DB password`, then a random value: any other word may be an item of the same kind as the one before. */
function classifyByWords(words: string, value: string): string | undefined {
  const { lower, upper, digits } = measureTexture(value)
  if (Math.min(lower, upper, digits) === 0 || !looksRandom(value) || pattern.spaced.test(value)) return undefined
  return classifyField(words.slice(words.lastIndexOf(' ') + 1), value, { isLiteral: false })
}

/** `--password` or `DB_PASSWORD:` followed by its value as the next item, as in a list of arguments. */
export function classifyByPreviousItem(before: string | undefined, value: string): string | undefined {
  if (before === undefined || before.length > LONGEST_NAME || value.length > 4_096) return undefined
  let start = 0
  while (before[start] === '-') start += 1
  const end = before.endsWith(':') || before.endsWith('=') ? before.length - 1 : before.length
  const name = before.slice(start, end)
  if (name === '') return undefined
  if (pattern.blank.test(name)) return classifyByWords(name, value)
  // A bare word such as `token` may be an ordinary item; a flag, an assignment and a variable's name are not.
  const isVariable = pattern.envName.test(name) && name.includes('_')
  const isName = start > 0 || end < before.length || isVariable
  const kind = isName ? classifyField(name, value, { isLiteral: false }) : undefined
  return kind !== undefined && value !== markFor(kind) ? kind : undefined
}
