import { type NextSign, createNextSign } from './next-character.ts'

/** What JSON writes for a line end and for a tab, and again when its text is written into JSON; the longest first. */
const escapes = [16, 8, 4, 2, 1].flatMap((count) =>
  [
    ['n', '\n'],
    ['t', '\t'],
  ].map(([letter = '', blank = '']) => [`${'\\'.repeat(count)}${letter}`, `${' '.repeat(count)}${blank}`] as const),
)

/**
 * The text with the line ends and tabs that JSON wrote as escapes, each as long as it was: what is told by lines and words is found
 * there as in the file it came from, and stands at the same place of both.
 */
export function withLineEnds(text: string): string {
  if (!text.includes('\\n') && !text.includes('\\t')) return text
  let lines = text
  const isNested = text.includes('\\\\')
  for (const [escape, blank] of isNested ? escapes : escapes.slice(-2))
    if (lines.includes(escape)) lines = lines.replaceAll(escape, blank)
  return lines
}

/** Where a line end or a tab that is written as an escape stands next: the last of its backslashes. */
export function createNextEscape(text: string): NextSign {
  const nextLineEnd = createNextSign(text, '\\n')
  const nextTab = createNextSign(text, '\\t')
  return (from) => Math.min(nextLineEnd(from), nextTab(from))
}
