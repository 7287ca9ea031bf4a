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
  /**
   * Matches every sentence that `pattern` matches, and is tested first: the machine code of a long pattern takes 40 to 500 KB
   * from its first use until the process ends, and most users speak one of the languages and use a part of the forms.
   */
  readonly needs?: RegExp
  /** Only in a sentence that orders something: not after "it", "the tests" and the like. */
  readonly isOrder?: true
  /** A statement, which does not count in a sentence that guesses or reports. */
  readonly isStatement?: true
  /** Longer sentences with these words are something else. */
  readonly maxWords?: number
}
