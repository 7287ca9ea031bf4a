/** The form in which a rule is given. */
export type RuleKind =
  | 'never'
  | 'dont'
  | 'always'
  | 'only'
  | 'must'
  | 'make-sure'
  | 'without'
  | 'instead'
  | 'correction'
  | 'preference'

export interface RuleCue {
  readonly kind: RuleKind
  /** Matched against the sentence in lower case, with quoted text and code replaced. */
  readonly pattern: RegExp
  /** Only in a sentence that orders something: not after "it", "the tests" and the like. */
  readonly isOrder?: true
  /** A statement, which does not count in a sentence that guesses or reports. */
  readonly isStatement?: true
  /** Longer sentences with these words are something else. */
  readonly maxWords?: number
}
