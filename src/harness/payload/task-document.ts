import { pathsIn } from '../../kernel/paths/paths.ts'
import { withoutCode } from '../../kernel/text/text.ts'
import { BOUNDS, bounded } from './bounds.ts'

/** Readers number the lines of what they show: `   12→- [ ] …`, `12: - [ ] …`. */
const LINE_NUMBER = /^\s*\d+(?:→|\t|: ?|\| ?)/
const HEADING = /^#{1,3} \S/
const OPEN_BOX = /^\s*(?:[-*+]|\d{1,3}[.)]) \[ \] \S/

/** What a form makes its author declare: "I have read the guidelines". */
const DECLARATION = /^\s*\S{1,4} \[ \] (?:I|I'm|I've|I’ve|My|This (?:PR|pull request|change)|By submitting)\b/i

const MIN_OPEN_BOXES = 2
const MAX_PATHS = 60

/**
 * What a document lays out as work to do: a story, a spec's tasks, an issue with boxes to tick. Its title and the files that it
 * names, each in a line: what else it says stands in the document. Undefined for a text that is none.
 */
export function readTaskDocument(text: string): string | undefined {
  if (!text.includes('[ ]')) return undefined
  const unnumbered = text.split('\n').map((line) => line.replace(LINE_NUMBER, ''))
  const plain = withoutCode(unnumbered.join('\n'))
  const lines = plain.split('\n')
  if (lines.filter((line) => OPEN_BOX.test(line) && !DECLARATION.test(line)).length < MIN_OPEN_BOXES) return undefined
  const title = lines.find((line) => HEADING.test(line))
  const kept = [bounded(title, BOUNDS.line) ?? '#', ...pathsIn(plain, MAX_PATHS)]
  return bounded(kept.join('\n'), BOUNDS.message)
}
