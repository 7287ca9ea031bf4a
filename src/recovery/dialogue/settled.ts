import { isChore, isSubstantiveRequest } from '../../kernel/text/text.ts'
import { isAcknowledgement } from '../passages/cues.ts'
import type { SplitTalk } from '../passages/passage.ts'

const MAX_CHARS = 160
const MAX_INQUIRY_CHARS = 300
const MAX_ORDER_CHARS = 45
/** Asks for information, not for work: its answer is all that it wanted. "Should we…" is an opinion and stays. */
const INQUIRY =
  /^(?:(?:also|and|but|hm+|no|now|ok(?:ay)?|one (?:more|last)|question|quick|so|sorry|well|yes)[\s,:;.!-]+){0,3}(?:(?:where|what(?!(?:'s)? (?:if|about))|how(?! about)|who|when|which|why(?! (?:not|don'?t|do(?:es)? we))|is|are|does|do|did|was|were|has|have)\b|(?:can|could|would) (?:you|u) (?:please )?(?:also )?(?:check if|confirm|clarify|describe|(?:do|give) me a (?:\w+ )?summary|explain|help me understand|show|summari[sz]e|tell)\b|(?:please )?(?:explain|summari[sz]e|describe)\b)/i
/** An order for one piece of work, which the turn after it has finished. */
const ORDER =
  /^(?:(?:also|and|now|ok(?:ay)?|great|then|so|yes|yeah|please)[\s,:;.!-]+){0,3}(?:(?:can|could|would|will) (?:you|u|we) (?:please |also |quickly )?(?:not )?|please )?(?:check|commit|create a branch|fetch|have a look|investigate|look (?:at|into)|merge|open|pull|push|rebase|review|run|show|split|stage|switch|unstage|update|verify)\b/i
/** How it is to be, beyond this piece of work. */
const WISHES = /\b(?:should|must|want|like|prefer|rather|make sure|ensure|consider|keep|avoid|need|every|all|each)\b/i
/** Means what stands elsewhere. */
const POINTS = /\b(?:it|this|that|them|these|those|all|both|again|one)\b/i
/** Rules stay. */
const BINDS = /\b(?:don'?t|do not|never|not|without|only|instead|always|but)\b/i
const PASTED = /^(?:-? ?\(pasted output:|\[[\w:.-]+\] ?\$|[$❯>] |- \[ \w+ \])/
const NAMES = /[\w-]+\.\w{1,5}\b|\w_\w|[a-z][A-Z]|[/`#"]|--\w/

const WITHHELD =
  /\b(?:don'?t|do not|not|without) (?:yet )?(commit|push)(?:t?ing)?(?: (?:anything|it|that|this|yet))*\s*(?:[.,;!]|$)/i
const WITHHOLDS = /\b(?:don'?t|do not|never|not|no|without|before|if|when)\b/i

/** "Don't commit", and a commit that the user asked for later. */
function isRevoked(index: number, text: string, talks: readonly SplitTalk[]): boolean {
  const [, verb] = WITHHELD.exec(text) ?? []
  if (verb === undefined) return false
  const order = new RegExp(`^(?:(?:and|great|now|ok(?:ay)?|please|then|yes|you can)[\\s,]+)*${verb}\\b`, 'i')
  return talks.some(
    ({ index: later, message }) =>
      later > index &&
      message.kind === 'request' &&
      message.text.length <= MAX_CHARS &&
      order.test(message.text.trim()) &&
      !WITHHOLDS.test(message.text),
  )
}

/** A question that was answered, a commit that was asked for, an order that says only "it": later ones have overtaken it. */
export function isSettled({ index, message, passages }: SplitTalk, talks: readonly SplitTalk[]): boolean {
  const { speaker, kind, text } = message
  // Output that was pasted, without a word, before something else was asked for.
  if (speaker === 'user' && passages.length > 0 && passages.every(({ text: said }) => PASTED.test(said)))
    return talks.some((later) => later.index > index && later.message.kind === 'request')
  if (speaker !== 'user' || (kind !== 'request' && kind !== 'queued') || text.length > MAX_INQUIRY_CHARS) return false
  const isLong = text.length > MAX_CHARS
  if (!isLong && isRevoked(index, text, talks)) return true
  if (BINDS.test(text) && !text.trim().endsWith('?')) return false
  const next = talks.findIndex((later) => later.index > index && later.message.speaker === 'user')
  if (next < 0) return false
  if (!isLong && (isChore(text) || isAcknowledgement(text))) return true
  const wasAnswered = talks.slice(0, next).some((later) => later.index > index && later.message.kind === 'turn-final')
  if (wasAnswered && INQUIRY.test(text.trim()) && !/[.;]\s+\S/.test(text)) return true
  if (isLong) return false
  const isFirst =
    talks.find((talk) => talk.message.kind === 'request' && isSubstantiveRequest(talk.message.text))?.index === index
  if (wasAnswered && !isFirst && ORDER.test(text.trim()) && !WISHES.test(text)) return true
  return text.length <= MAX_ORDER_CHARS && POINTS.test(text) && !NAMES.test(text)
}
