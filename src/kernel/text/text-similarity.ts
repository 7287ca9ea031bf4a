import { queryTermsOf } from './terms.ts'

/** The telling words of a sentence. */
export type Matter = ReadonlySet<string>

export function matterOf(text: string): Matter {
  return new Set(queryTermsOf(text))
}

const SAME_MATTER = 0.6

/** Share of the shorter one's telling words that both have. */
function likeness(one: Matter, other: Matter): number {
  const shared = [...one].filter((term) => other.has(term)).length
  return shared / Math.max(1, Math.min(one.size, other.size))
}

/** About the same thing, whatever they say of it. */
export function isSameMatter(one: Matter, other: Matter): boolean {
  return likeness(one, other) >= SAME_MATTER
}

/** The same in the same words, whatever their order. */
export function saysTheSame(one: Matter, other: Matter): boolean {
  return one.size === other.size && likeness(one, other) === 1
}
