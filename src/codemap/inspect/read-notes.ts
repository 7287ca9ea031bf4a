import type { Node } from 'web-tree-sitter'
import type { NoteFacts } from '../../kernel/code-facts.ts'
import { textOf } from './tree.ts'

/** A marker of open work, its author in brackets, and the work to do. */
const MARK = /^(?:TODO|FIXME|XXX|HACK|TBD|WIP)\b\s*(?:\([^)]*\)|\[[^\]]*\])?\s*([:\-–—.!]?)\s*(.*)$/
const LOWER_MARK = /^(?:todo|fixme|tbd|wip)\s*(?:\([^)]*\))?\s*([:])\s*(.*)$/i
/** `TODO items are stored newest first` is prose about todos: without a colon, only an imperative counts. */
const IMPERATIVE =
  /^(?:implement|add|fix|finish|complete|handle|support|remove|replace|use|make|write|wire|hook|check|validate|verify|connect|call|return|actually|real|move|refactor|create|build|enable|store|persist|save|send|read|parse|test|need|should|must|the rest|this)\b/i
const UNFINISHED =
  /\b(?:implement(?:ed|ation|ing|s)?|stub(?:bed)?|placeholder|for real|not (?:yet )?(?:done|implemented|supported|handled|enforced|wired)|unfinished|fake|dummy|hard-?coded|finish|complete this|wire (?:this |it )?up|hook (?:this |it )?up|real (?:implementation|logic|api|call|data|check|service)|actual(?:ly)?\b)/i
const REQUEST =
  /^(?:add|handle|support|enforce|validate|verify|check|write|wire|connect|persist|store|save|send|encrypt|hash|sanitize|escape|load|fetch|call|use|integrate|limit|retry|log|test|cover|read|parse|return|calculate|compute|refuse|reject|deny|forbid|block|prevent|require|ensure|notify|sort|filter|delete|remove|retry|expire|rotate|convert|format|compare|count|skip)\b/i
/** Comments without a mark that say the same. */
const PLAIN =
  /^(?:(?:this is )?(?:just )?an? (?:stub|placeholder|dummy|mock)\b|(?:stub|placeholder|dummy|mock)(?:ped)? (?:implementation|for now|until|response|data|value)|not (?:yet )?implemented|unimplemented\b|implementation (?:goes here|pending|missing)|implement (?:me|this|later|here)|your code here|fill (?:this )?in\b|(?:fake|dummy|simulated|mocked) \w+\.?$|to be (?:implemented|done|written)|stub(?:bed)?\s*[.!:]?$|placeholder\s*[.!:]?$)/i

/** `base64 for the moment, AES later` */
const POSTPONED =
  /\b(?:for (?:the moment|the time being)|will be (?:implemented|added|done|replaced|wired)|(?:do|doing|done|add(?:ed)?|come[s]?|fix(?:ed)?|implement(?:ed)?) later|later (?:on )?we|, \w+ later$|for now[,.]?\s*(?:just|only|we just|return|assume|hard-?code|use)|(?:just|only|simply) .{0,40}\bfor now|until (?:the )?(?:real|actual|api|backend|service)\b.{0,40}\b(?:ready|done|exists|available|lands|there))\b/i

/** Behind a mark, this says that the code beside it is not what is wanted. */
const PUT_OFF =
  /\b(?:for now|temporar(?:y|ily)|in the meantime|accept(?:s|ing)? (?:everything|all|any)|always (?:return|accept|allow|pass)\w*|bypass\w*)\b/i

function cleanLine(line: string): string {
  return line
    .replace(/^\s*(?:\/\*+|\*+\/?|\/\/+[/!]?|#+!?|--|<!--)\s?/, '')
    .replace(/\*+\/\s*$/, '')
    .trim()
}

/** `next`: the line after it, which continues a mark that stands alone. */
function readNote(line: string, next: string): Omit<NoteFacts, 'line'> | undefined {
  const text = cleanLine(line)
  const marked = MARK.exec(text) ?? LOWER_MARK.exec(text)
  if (marked === null) return PLAIN.test(text) || POSTPONED.test(text) ? { text, kind: 'unfinished' } : undefined
  const [, colon = '', own = ''] = marked
  const rest = own === '' ? cleanLine(next) : own
  if (rest !== '' && colon === '' && /^TODO/i.test(text) && !IMPERATIVE.test(rest) && !REQUEST.test(rest))
    return undefined
  const isUnfinished = rest === '' || UNFINISHED.test(rest) || PUT_OFF.test(rest)
  return { text: rest, kind: isUnfinished ? 'unfinished' : REQUEST.test(rest) ? 'request' : 'remark' }
}

export function readNotes(comments: readonly Node[]): readonly NoteFacts[] {
  const lines = comments.flatMap((comment) =>
    textOf(comment)
      .split('\n')
      .map((text, n) => ({ text, line: comment.startPosition.row + n + 1 })),
  )
  return lines.flatMap(({ text, line }, n) => {
    const after = lines[n + 1]
    const note = readNote(text, after?.line === line + 1 ? after.text : '')
    return note === undefined ? [] : [{ ...note, line }]
  })
}
