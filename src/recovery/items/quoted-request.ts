import type { Ask } from '../../kernel/checkpoint.ts'

/** An ask in the user's words, or the part of them that there is room for; beside what it answers where it says little by itself. */
export function quotedAsk({ answers }: Ask, words: string): string {
  return answers === undefined ? `"${words}"` : `"${words}", answering "${answers}"`
}
