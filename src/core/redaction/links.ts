import { pattern } from './patterns.ts'

/** A name that may announce a secret, where it stands. */
export interface Named {
  /** The part of the name in front of the announcing word: `--db-` in `--db-password`. */
  readonly before: string
  readonly start: number
  readonly end: number
}

/** How a value is tied to its name. */
type Tie = 'assignment' | 'argument' | 'apposition' | 'statement' | 'flag' | 'element'

export interface Link {
  readonly tie: Tie
  /** Where the value begins. */
  readonly end: number
}

/** Matches a sticky pattern at a place; the end of the match, or -1. */
export function endAt(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : -1
}

type Ties = readonly (readonly [Tie, RegExp])[]

const assigned: Ties = [['assignment', pattern.assignment]]
const typed: Ties = [['assignment', pattern.typedAssignment], ...assigned]
const quoted: Ties = [...assigned, ['argument', pattern.argument], ['apposition', pattern.apposition]]

/** What can follow a name, by the first character after it that is no blank. */
const bySign: ReadonlyMap<string, Ties> = new Map([
  [':', typed],
  ['=', assigned],
  ['?', assigned],
  ['.', assigned],
  ['+', assigned],
  ['|', assigned],
  ['-', [...assigned, ['apposition', pattern.apposition]]],
  ['"', quoted],
  ["'", quoted],
  ['`', quoted],
  ['\\', quoted],
  [']', assigned],
  ['\u001b', assigned],
])
const byWord: Ties = [
  ['apposition', pattern.apposition],
  ['statement', pattern.statement],
  ['assignment', pattern.typedAssignment],
]
const element: Ties = [['element', pattern.element]]
const flag: Ties = [['flag', pattern.flagGap]]
const none: Ties = []

/** A terminal's colours stand between a name and its value. */
const ESCAPE = '\u001b'

function firstOf(ties: Ties, text: string, index: number): Link | undefined {
  for (const [tie, sticky] of ties) {
    const end = endAt(sticky, text, index)
    if (end >= 0) return { tie, end: text[end] === ESCAPE ? Math.max(end, endAt(pattern.colour, text, end)) : end }
  }
  return undefined
}

const BLANKS = 16

/** What ties a value to the name, if anything does. */
export function linkAfter(text: string, name: Named): Link | undefined {
  let next = name.end
  while (next < name.end + BLANKS && (text[next] === ' ' || text[next] === '\t')) next += 1
  const sign = text[next]
  if (sign === undefined) return undefined
  // By far the most frequent, and told without a pattern: `name="…` and `NAME=value`.
  if (sign === '=' && next === name.end && !pattern.operator.test(text[next + 1] ?? ' '))
    return { tie: 'assignment', end: next + 1 }
  if (sign === '>' && text[name.start - 1] === '<') return firstOf(element, text, name.end)
  const isWord = next > name.end && pattern.linkWord.test(sign)
  const link = firstOf(bySign.get(sign) ?? (isWord ? byWord : none), text, name.end)
  if (link || !name.before.startsWith('-')) return link
  return firstOf(flag, text, name.end)
}
