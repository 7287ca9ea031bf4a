import { baseName } from './paths.ts'

const WORD = /[A-Za-z_][A-Za-z0-9_]*/g
/** `getHTTPStatus2` as `get`, `HTTP`, `Status`, `2`. */
const PART = /[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d+/g
const MIN_CHARS = 3
const MAX_TEXT = 3_000

/** What says nothing of which file is meant. */
const EVERYWHERE: ReadonlySet<string> = new Set(
  'the and for that this with from into have will should can you are was not but let all add use fix make get set new run file files code test tests spec src lib index main'.split(
    ' ',
  ),
)

function partsOf(text: string): readonly string[] {
  return (text.match(PART) ?? []).map((part) => part.toLowerCase())
}

function isTelling(word: string): boolean {
  return word.length >= MIN_CHARS && !EVERYWHERE.has(word)
}

/** The words of a text, and those that its names are made of. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = (text.slice(0, MAX_TEXT).match(WORD) ?? []).flatMap((word) => [...partsOf(word), word.toLowerCase()])
  return new Set(words.filter(isTelling))
}

/** What the last part of a path is made of: `manual_commit_test.go` is `manual` and `commit`. */
function wordsOfFile(path: string): readonly string[] {
  const name = baseName(path)
  const dot = name.indexOf('.', 1)
  return [...new Set(partsOf(dot < 0 ? name : name.slice(0, dot)))].filter(isTelling)
}

/** How much of a file's name stands in a text, from 0 to 1; a word that most of these files have counts little. */
export function sharedWith(text: string, paths: readonly string[]): (path: string) => number {
  const asked = wordsOf(text)
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
