/** A credential that is known by how it begins. */
export interface Format {
  readonly kind: string
  /** Literal beginnings, case-sensitive; each must stand at the start of a word. */
  readonly starts: readonly string[]
  /**
   * Source of a regular expression for what follows. Whatever follows a repetition without upper bound must be
   * optional: then no input makes a failed attempt long, and the whole scan stays linear.
   */
  readonly body: string
  /** The whole must also look drawn at random: for beginnings that words and code share. */
  readonly mustLookRandom?: boolean
}
