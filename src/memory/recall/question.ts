import { queryTermsOf, termsOf } from '../../kernel/text/terms.ts'
import { pathsIn } from '../../kernel/paths/paths.ts'
import type { RecallQuestion } from './rank.ts'

/** Short and long forms that programmers use for the same thing: asked by one, found by the others, at less. */
const SAME_THING: readonly (readonly string[])[] = [
  'args arguments',
  'async asynchronous',
  'auth authentication authorization',
  'cmd command',
  'config configuration cfg',
  'conn connection',
  'ctx context',
  'db database',
  'deps dependencies',
  'dev development',
  'dir directory folder',
  'docs documentation',
  'env environment',
  'err error',
  'fn func function',
  'impl implementation',
  'init initialize initialise',
  'js javascript',
  'k8s kubernetes',
  'lib library',
  'msg message',
  'params parameters',
  'perf performance',
  'pg postgres postgresql',
  'pkg package',
  'prod production',
  'py python',
  'regex regexp',
  'repo repository',
  'req request',
  'spec specification',
  'tmp temp temporary',
  'ts typescript',
  'var variable',
].map((line) => line.split(' '))

const OTHER_FORM = 0.5
const MAX_FILES = 8

/** Terms by which the same thing is also called. */
function otherForms(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, readonly string[]>()
  for (const words of SAME_THING) {
    const terms = words.flatMap((word) => termsOf(word).slice(0, 1))
    for (const term of terms) forms.set(term, terms)
  }
  return forms
}

const OTHER_FORMS = otherForms()

/** A question as it can be ranked by: its telling words, the other forms of those, and the files that it names. */
export function questionOf(text: string): RecallQuestion & { readonly related: ReadonlyMap<string, number> } {
  const terms = queryTermsOf(text)
  const asked = new Set(terms)
  const related = new Map(
    terms
      .flatMap((term) => OTHER_FORMS.get(term) ?? [])
      .filter((term) => !asked.has(term))
      .map((term) => [term, OTHER_FORM]),
  )
  return { terms, related, files: pathsIn(text, MAX_FILES) }
}
