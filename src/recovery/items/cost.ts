import type { Item } from './item.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

/** Between two of a list: `, `, and what a mark takes. */
const SEPARATOR_CHARS = 3

/**
 * Characters that a name takes, and the blank behind it. They count less than in full: how long a name is we know, how likely it
 * is to be needed we guess, and by the whole length many short names that nobody needs go before a long one that is asked for.
 */
export function costOfName(name: string): number {
  const { lengthCounts, usualChars } = WEIGHTS.name
  return (name.length + 1) ** lengthCounts * usualChars ** (1 - lengthCounts)
}

/** What the worth of an item is held against. */
export function costOf({ section, text }: Item): number {
  return section === 'identifiers' ? costOfName(text) : text.length + SEPARATOR_CHARS
}
