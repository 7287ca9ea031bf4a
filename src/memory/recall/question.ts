import { extractQueryTerms, extractTerms } from '../../kernel/text/terms.ts'
import { findPaths } from '../../kernel/paths/paths.ts'
import type { RecallQuestion } from './rank.ts'

/** Abbreviations and their long forms; each finds the others, at `OTHER_FORM` weight. */
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

function otherForms(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, readonly string[]>()
  for (const words of SAME_THING) {
    const terms = words.flatMap((word) => extractTerms(word).slice(0, 1))
    for (const term of terms) forms.set(term, terms)
  }
  return forms
}

const OTHER_FORMS = otherForms()

/** Keywords, their other forms, and the files that the text names. */
export function parseQuestion(text: string): RecallQuestion & { readonly related: ReadonlyMap<string, number> } {
  const terms = extractQueryTerms(text)
  const asked = new Set(terms)
  const related = new Map(
    terms
      .flatMap((term) => OTHER_FORMS.get(term) ?? [])
      .filter((term) => !asked.has(term))
      .map((term) => [term, OTHER_FORM]),
  )
  return { terms, related, files: findPaths(text, MAX_FILES) }
}
