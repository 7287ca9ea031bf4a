import { isChore } from '../../kernel/text/text.ts'
import { isAcknowledgement } from '../passages/cues.ts'
import type { SplitTalk } from '../passages/passage.ts'

const MAX_CHARS = 160
const MAX_ORDER_CHARS = 45
/** Asks for information, not for work: its answer is all that it wanted. "Should we…" is an opinion and stays. */
const INQUIRY =
  /^(?:(?:also|and|but|hm+|no|now|ok(?:ay)?|one (?:more|last)|question|quick|so|sorry|well|yes)[\s,:;.!-]+){0,3}(?:(?:where|what(?!(?:'s)? (?:if|about))|how(?! about)|who|when|which|why(?! (?:not|don'?t|do(?:es)? we))|is|are|does|do|did|was|were|has|have)\b|(?:can|could|would) (?:you|u) (?:please )?(?:also )?(?:check if|confirm|clarify|describe|(?:do|give) me a (?:\w+ )?summary|explain|help me understand|show|summari[sz]e|tell)\b|(?:please )?(?:explain|summari[sz]e|describe)\b)/i
/** Means what stands elsewhere. */
const POINTS = /\b(?:it|this|that|them|these|those|all|both|again|one)\b/i
/** What still binds stays. */
const BINDS = /\b(?:don'?t|do not|never|not|without|only|instead|always|but)\b/i
const PASTED = /^(?:-? ?\(pasted output:|\[[\w:.-]+\] ?\$|[$❯>] |- \[ \w+ \])/
const NAMES = /[\w-]+\.\w{1,5}\b|\w_\w|[a-z][A-Z]|[/`#"]|--\w/

/** A question that was answered, a commit that was asked for, an order that says only "it": later ones have overtaken it. */
export function isSettled({ index, message, passages }: SplitTalk, talks: readonly SplitTalk[]): boolean {
  const { speaker, kind, text } = message
  // Output that was pasted, without a word, before something else was asked for.
  if (speaker === 'user' && passages.length > 0 && passages.every(({ text: said }) => PASTED.test(said)))
    return talks.some((later) => later.index > index && later.message.kind === 'request')
  if (speaker !== 'user' || (kind !== 'request' && kind !== 'queued') || text.length > MAX_CHARS) return false
  if (BINDS.test(text) && !text.trim().endsWith('?')) return false
  const next = talks.findIndex((later) => later.index > index && later.message.speaker === 'user')
  if (next < 0) return false
  if (isChore(text) || isAcknowledgement(text)) return true
  const wasAnswered = talks.slice(0, next).some((later) => later.index > index && later.message.kind === 'turn-final')
  if (wasAnswered && INQUIRY.test(text.trim()) && !/[.;]\s+\S/.test(text)) return true
  return text.length <= MAX_ORDER_CHARS && POINTS.test(text) && !NAMES.test(text)
}
