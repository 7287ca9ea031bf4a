import { wordsOfKey } from './key-lines.ts'
import { findPrivateKeys } from './find-private-keys.ts'
import { replaceInItems } from './redact-items.ts'
import { markFor } from './span.ts'

function holdsArmour(text: string): boolean {
  return text.includes('PRIVATE KEY') || text.includes('Private-Lines')
}

/** Texts of different fields in their order, or the items of one list, without a private key that was split over several of them. */
export function redactKeysAcross(
  texts: readonly string[],
  { isOneList = false }: { readonly isOneList?: boolean } = {},
): readonly string[] {
  if (texts.length < 2 || !texts.some(holdsArmour)) return texts
  const spans = findPrivateKeys(texts.join('\n'))
  return replaceInItems(texts, spans, { isAcrossOnly: true, isStrict: !isOneList }) ?? texts
}

/** Without the lines of keys that were found in others of the texts: a shell says each line again that it could not run. */
export function redactKeyRepeats(before: readonly string[], after: readonly string[]): readonly string[] {
  const words = before.flatMap((text, index) => {
    const clean = after[index] ?? ''
    if (text === clean || !holdsArmour(text)) return []
    return wordsOfKey(text).filter((word) => !clean.includes(word))
  })
  if (words.length === 0) return after
  return after.map((text) => words.reduce((rest, word) => rest.replaceAll(word, markFor('private-key')), text))
}
