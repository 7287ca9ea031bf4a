/** How a value is tied to its name. */
export type Tie =
  | 'assignment'
  | 'argument'
  | 'call'
  | 'apposition'
  | 'statement'
  | 'flag'
  | 'element'
  | 'pair'
  | 'beside'
  | 'prose'

export interface Link {
  readonly tie: Tie
  /** Where the value begins. */
  readonly end: number
}

/** An identifier with a word in it that announces a secret. */
export interface AnnouncedName {
  readonly start: number
  /** Where the announcing word begins: behind `--db-` in `--db-password`. */
  readonly word: number
  readonly end: number
}
