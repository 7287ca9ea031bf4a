import { isArmour, isBodyLine, wordsOfKey } from './scan/key-lines.ts'
import { findPrivateKeys } from './find/find-private-keys.ts'
import { replaceInItems } from './redact-items.ts'
import { markFor } from './text/span.ts'

export function holdsArmour(text: string): boolean {
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

/** A text of one line that can be a part of a key and nothing else. */
export function isKeyPart(text: string): boolean {
  return isArmour(text, 0, text.length) || isBodyLine(text, { isBehindBody: false })
}

/** A text of a request. */
export interface RequestText {
  readonly text: string
  readonly column?: string | undefined
  /** Of one line, and in no list: an id, a path, a cursor. */
  readonly isLone: boolean
}

/**
 * Without the lines of a key's body wherever they stand in a request that holds its armour: the fields of a request have no
 * order that anybody promised. What is no item of a list goes only where both lines of armour are fields of their own.
 */
export function redactBodyLines(fields: readonly RequestText[], clean: readonly string[]): readonly string[] {
  if (!fields.some(({ text }) => holdsArmour(text))) return clean
  const armour = fields.filter(({ text }) => isArmour(text, 0, text.length))
  const isSplit = ['BEGIN', 'END'].every((word) => armour.some(({ text }) => text.includes(word)))
  const wasBody = new Map<string | undefined, boolean>()
  return fields.map(({ text, column, isLone }, index) => {
    const isBehindBody = !isLone && wasBody.get(column) === true
    const isBody = (!isLone || isSplit) && isBodyLine(text, { isBehindBody })
    wasBody.set(column, isBody)
    return isBody ? markFor('private-key') : (clean[index] ?? text)
  })
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
