import { pathsIn } from '../core/work/paths.ts'
import { withoutCode } from '../core/work/text.ts'
import { BOUNDS, bounded } from './bounds.ts'

/** Readers number the lines of what they show: `   12→- [ ] …`, `12: - [ ] …`. */
const LINE_NUMBER = /^\s*\d+(?:→|\t|: ?|\| ?)/
const HEADING = /^#{1,3} \S/
const OPEN_BOX = /^\s*(?:[-*+]|\d{1,3}[.)]) \[ \] \S/

const MIN_OPEN_BOXES = 2

/**
 * What a document lays out as work to do: a story, a spec's tasks, an issue with boxes to tick. Of it the title, the open boxes and
 * the lines that name files are kept; undefined for a text that is none.
 */
export function readTaskDocument(text: string): string | undefined {
  if (!text.includes('[ ]')) return undefined
  const unnumbered = text.split('\n').map((line) => line.replace(LINE_NUMBER, ''))
  const lines = withoutCode(unnumbered.join('\n')).split('\n')
  if (lines.filter((line) => OPEN_BOX.test(line)).length < MIN_OPEN_BOXES) return undefined
  const title = lines.findIndex((line) => HEADING.test(line))
  const kept = lines.filter((line, at) => at === title || OPEN_BOX.test(line) || pathsIn(line, 1).length > 0)
  return bounded(kept.join('\n'), BOUNDS.message)
}
