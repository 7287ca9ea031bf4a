import { pattern } from './patterns.ts'

/**
 * The text with the line ends and tabs that JSON wrote as escapes, each as long as it was: what is told by lines and words is found
 * there as in the file it came from, and stands at the same place of both.
 */
export function withLineEnds(text: string): string {
  if (!text.includes('\\n') && !text.includes('\\t')) return text
  return text.replaceAll(pattern.escapedBlank, (found) => (found.endsWith('t') ? '\t' : '\n').padStart(found.length))
}
