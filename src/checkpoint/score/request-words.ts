import { partsOf } from '../../kernel/text/terms.ts'
import { baseName } from '../../kernel/paths/paths.ts'

const MIN_CHARS = 3
const MAX_TEXT = 3_000

/** What says nothing of which file is meant. */
const EVERYWHERE = partsOf('add fix make set new run file code test spec src lib index main')

function tellingWordsOf(text: string): readonly string[] {
  return [...partsOf(text)].filter((word) => word.length >= MIN_CHARS && !EVERYWHERE.has(word))
}

/** What the last part of a path is made of: `token_reader_test.go` is `token` and `reader`. */
function wordsOfFile(path: string): readonly string[] {
  const name = baseName(path)
  const dot = name.indexOf('.', 1)
  return tellingWordsOf(dot < 0 ? name : name.slice(0, dot))
}

/** How much of a file's name stands in a text, from 0 to 1; a word that most of these files have counts little. */
export function sharedWith(text: string, paths: readonly string[]): (path: string) => number {
  const asked = new Set(tellingWordsOf(text.slice(0, MAX_TEXT)))
  const files = new Map<string, number>()
  for (const path of paths) for (const word of wordsOfFile(path)) files.set(word, (files.get(word) ?? 0) + 1)
  const weight = (word: string) => Math.max(0, Math.log((paths.length + 1) / ((files.get(word) ?? 0) + 0.5)))
  const sum = (words: readonly string[]) => words.reduce((total, word) => total + weight(word), 0)
  return (path) => {
    const words = wordsOfFile(path)
    const all = sum(words)
    return all === 0 ? 0 : sum(words.filter((word) => asked.has(word))) / all
  }
}
