import { oneLine } from '../kernel/text/text.ts'
import type { RuleCue, RuleKind } from './cues/cue.ts'
import { ENGLISH, NOT_RULES, PASSING } from './cues/english.ts'
import { ENGLISH_POLICIES } from './cues/english-policies.ts'
import { FRENCH, GERMAN, SPANISH } from './cues/other-languages.ts'
import { listOwnSentences, type OwnSentence } from './own-sentences.ts'

/** A sentence of the user that is a rule. */
export interface FoundRule {
  /** Verbatim, on one line. */
  readonly text: string
  readonly kind: RuleKind
  /** work: a condition of the work at hand; it ends with it. */
  readonly scope: 'project' | 'work'
}

const MAX_READ_CHARS = 16_000
const MAX_RULES = 20
const MIN_CHARS = 8
const MAX_CHARS = 320
/** A longer run without a full stop is data. */
const MAX_READ_SENTENCE = 1_200

const CUES: readonly RuleCue[] = [...ENGLISH, ...ENGLISH_POLICIES, ...GERMAN, ...FRENCH, ...SPANISH]

const QUOTED = /"[^"\n]{0,400}"|“[^”\n]{0,400}”|„[^“”\n]{0,400}[“”]|«[^»\n]{0,400}»/g
const CODE = /`[^`\n]{0,200}`/g
/** Words before what is meant. */
const OPENING =
  /^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|so|and|but|also|hmm?|well|btw|by the way|one (?:more )?thing|please note|note(?: that)?|important|reminder|hey|hi|claude|again|however|oh|great|thanks|perfect|good|cool|nice|fine|alright|right|und|aber|also|bitte|et|mais|y|pero)(?:[,.:;!—–-]+ ?| ))+/
/** A question that orders: "can you please not …", "could we stop …". */
const POLITE =
  /^(?:can|could|would|will) (?:you|we)(?: all)? (?:please )?(?:(?:not|never|always|avoid|only) (?!just|simply|also|even|find|see)|stop \w+ing)/
const ASSENT = /[,.] ?(?:ok|okay|please|alright|thanks|thank you|understood|got it|clear|ja|oui|sí|vale|d'accord)\s*\?$/
/** The subject of a report: "the tests only …", "it never …". */
const REPORT =
  /^(?:like|consider \w+ing|it|this|that|they|he|she|there|the|these|those|i|my|our|we|you|its|a|an|some|most|now|then it|when|if|after|here)\b/

/** For comparison: lower case, straight apostrophes, quoted text and code replaced. */
function normalize(text: string): string {
  const masked = text.replace(QUOTED, '"q"').replace(CODE, '`c`').replace(/[’‘´]/g, "'")
  return oneLine(masked.replace(/[*_]{2}/g, ''))
    .toLowerCase()
    .replace(/\bw\/o\b/g, 'without')
    .replace(/^[-–—•*]\s+/, '')
}

function isQuestion(text: string): boolean {
  return text.endsWith('?') && !ASSENT.test(text) && !POLITE.test(text)
}

function findCue(text: string): RuleCue | undefined {
  const words = text.split(' ').length
  const isUncertain = NOT_RULES.some((pattern) => pattern.test(text))
  const isReport = REPORT.test(text)
  return CUES.find(
    ({ needs, pattern, isOrder, isStatement, maxWords }) =>
      needs?.test(text) !== false &&
      pattern.test(text) &&
      !(isOrder === true && isReport) &&
      !(isUncertain && (isStatement === true || isOrder === true || isReport)) &&
      words <= (maxWords ?? 70),
  )
}

/** The clause with the cue, if the sentence is too long to be repeated in every handoff. */
function shorten(text: string, isRule: (clause: string) => boolean): string | undefined {
  if (text.length <= MAX_CHARS) return text
  return text
    .split(/(?<=[;:])\s+|\s[–—-]\s|(?<=,)\s+(?=(?:but|so|and)\s)/)
    .find((clause) => clause.length <= MAX_CHARS && isRule(clause))
}

function readSentence({ text, isInBrief }: OwnSentence): FoundRule | undefined {
  if (text.length < MIN_CHARS || text.length > MAX_READ_SENTENCE) return undefined
  const whole = normalize(text)
  const meant = whole.replace(OPENING, '')
  if (isQuestion(meant)) return undefined
  const find = (clause: string) => findCue(normalize(clause).replace(OPENING, '')) ?? findCue(normalize(clause))
  const cue = POLITE.test(meant) ? { kind: 'dont' as const } : find(text)
  if (cue === undefined) return undefined
  const short = shorten(text, (clause) => find(clause) !== undefined)
  if (short === undefined) return undefined
  const isOfWork = isInBrief || PASSING.test(whole) || cue.kind === 'without' || isAside(whole, cue)
  return { text: short, kind: cue.kind, scope: isOfWork ? 'work' : 'project' }
}

const GENERAL =
  /\b(?:always|never|every|each|any|all|whenever|from now on|going forward|prefer|we use|convention|ever|immer|nie|niemals|jede\w*|alle|toujours|jamais|chaque|tou(?:s|tes)|siempre|nunca|cada|tod[oa]s)\b(?! of (?:it|that|the|them|these|this|those)\b)/

const REQUEST = /^(?:implement|add|build|create|fix|refactor|keep (?:the|all the)|migrate|port)\b/
const ASIDE =
  /^(?!don't|do not|never|no\b|stop|avoid|only|use|not\b).{12,}(?:,| but| and) (?:but )?(?:don't|do not|without|only)\b/

/** Said beside a request: "fix the login but don't touch the schema". */
function isAside(text: string, { kind }: Pick<RuleCue, 'kind'>): boolean {
  if (GENERAL.test(text)) return false
  return kind === 'make-sure' || REQUEST.test(text) || ASIDE.test(text)
}

/** The rules in a message of the user: each a sentence or a list item, verbatim. */
export function findRules(message: string): readonly FoundRule[] {
  const found = new Map<string, FoundRule>()
  for (const sentence of listOwnSentences(message.slice(0, MAX_READ_CHARS))) {
    const rule = readSentence(sentence)
    if (rule !== undefined && !found.has(rule.text)) found.set(rule.text, rule)
    if (found.size === MAX_RULES) break
  }
  return [...found.values()]
}

const ORDER =
  /^(?:no[,.!]* |please |just )*(?:use|run|do|try|call|put|write|keep|leave|edit|add|remove|ask|check|start|stop|verwende|nimm|nutze|utilise|usa|haz)\b/

/** What a user said when refusing a tool call. An order there is a correction, in whatever form it is given. */
export function findRulesInRefusal(words: string): readonly FoundRule[] {
  const rules = findRules(words)
  if (rules.length > 0) return rules
  return listOwnSentences(words.slice(0, MAX_READ_CHARS)).flatMap(({ text }) => {
    const whole = normalize(text)
    const isRule = text.length >= MIN_CHARS && text.length <= MAX_CHARS && !isQuestion(whole) && ORDER.test(whole)
    return isRule ? [{ text, kind: 'correction' as const, scope: 'work' as const }] : []
  })
}
