import { extractQueryTerms } from '../src/kernel/text/terms.ts'
import type { Replayed } from './prompt-bar-replay.ts'

/** A word that prompts share with what is found for them: how often that was about the same work, against chance. */
export interface SharedWord {
  readonly term: string
  readonly sessions: number
  readonly pairs: number
  readonly lift: number
}

/** Long prompts share words with everything. */
const MAX_TERMS = 30

/** Those that at least so many sessions used, the most used first. */
export function sharedWords(all: readonly Replayed[], minSessions: number): readonly SharedWord[] {
  const words = new Map<string, { sessions: Set<string>; pairs: number; relevant: number; chance: number }>()
  for (const { text, session, hits, isRelevant, chance } of all) {
    const asked = extractQueryTerms(text)
    if (asked.length > MAX_TERMS) continue
    for (const { memory } of hits) {
      const said = new Set(extractQueryTerms(memory.content))
      for (const term of asked) {
        if (!said.has(term)) continue
        const word = words.get(term) ?? { sessions: new Set(), pairs: 0, relevant: 0, chance: 0 }
        words.set(term, word)
        word.sessions.add(session)
        word.pairs += 1
        word.relevant += Number(isRelevant(memory.id))
        word.chance += chance
      }
    }
  }
  return [...words]
    .filter(([, { sessions }]) => sessions.size >= minSessions)
    .map(([term, { sessions, pairs, relevant, chance }]) => ({
      term,
      sessions: sessions.size,
      pairs,
      lift: relevant / chance,
    }))
    .toSorted((a, b) => b.sessions - a.sessions)
}
