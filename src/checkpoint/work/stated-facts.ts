import { claimsIn } from './claims.ts'
import { pathsIn } from '../../kernel/paths/paths.ts'
import { clip } from '../../kernel/text/text.ts'

const MAX_TEXT = 20_000
const MAX_PATHS = 40
const CLAIM_CHARS = 140

/** Of files that are gone on purpose, or not there yet, nothing is claimed. */
const NOT_THERE_ON_PURPOSE =
  /\b(?:delet\w*|remov\w*|dropp\w*|renam\w*|mov(?:ed|ing)|replac\w*|gone|will|todo|next|plan\w*|should|need\w*|later|not yet|remaining|going to|missing|does(?:n't| not) exist)\b/i

const COMPLETE =
  /\b(?:fully|completely|100 ?%|all) (?:\w+ )?(?:implemented|complete|completed|done|working|functional|finished)\b|\b(?:production[- ]ready|ready to ship|ship[- ]it|ready for production|feature[- ]complete)\b|\bimplementation (?:is )?(?:complete|done|finished)\b|\beverything (?:is )?(?:works|done|implemented|complete)\b/i
const NOT_A_CLAIM = /\b(?:not|isn't|aren't|never|if|once|when|until|should|will|would|todo|before|n't)\b|\?$/i

/** What a summary asserts about the state of the work. */
export interface Said {
  /** About tests, build or lint. */
  readonly runs: readonly { readonly topic: 'tests' | 'build' | 'lint'; readonly text: string }[]
  /** That something is finished. */
  readonly complete: readonly string[]
  /** Files that are spoken of as there. */
  readonly paths: readonly string[]
}

function sentencesOf(text: string): readonly string[] {
  return text
    .slice(0, MAX_TEXT)
    .split(/(?<=[.!?])\s|\n/)
    .filter((sentence) => sentence.trim() !== '')
}

export function saidIn(summary: string): Said {
  const sentences = sentencesOf(summary)
  const paths = new Set<string>()
  for (const sentence of sentences) {
    if (NOT_THERE_ON_PURPOSE.test(sentence)) continue
    for (const path of pathsIn(sentence, MAX_PATHS)) paths.add(path)
  }
  return {
    runs: claimsIn(summary, 0).map(({ topic, text }) => ({ topic, text })),
    complete: sentences
      .filter((sentence) => COMPLETE.test(sentence) && !NOT_A_CLAIM.test(sentence))
      .map((sentence) => clip(sentence.replace(/^[\s*#>-]+/, ''), CLAIM_CHARS)),
    paths: [...paths].slice(0, MAX_PATHS),
  }
}
