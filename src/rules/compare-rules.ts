/** What a rule asks for and what it rules out, as word sets. */
interface RuleSense {
  readonly wanted: ReadonlySet<string>
  readonly rejected: ReadonlySet<string>
}

/** Words that do not say what a rule is about. */
const FILLER = new Set(
  (
    'a all always also an and any are as at be been by can claude code codebase do does ensure ever every for forward from going has have here i in ' +
    'into is it its just let make me must my need needs now of ok okay on or our please project remember repo repository said should so ' +
    'sure that the their them then these they this those to us use used using want we when with you your ' +
    'bitte immer muss müssen die der das den dem ein eine einen und auf in zu verwende nutze benutze ' +
    'toujours le la les un une et de des du dans utilise siempre el los las un una y en usa por favor'
  ).split(' '),
)
const NEGATION = new Set(
  (
    "not never no don't dont doesn't shouldn't mustn't can't cannot won't avoid without stop quit instead rather nothing none " +
    'nicht nichts nie niemals kein keine keinen ohne statt ne pas jamais sans aucun nunca jamás sin'
  ).split(' '),
)
/** After these words the rule asks for something again: "don't use X, use Y", "not X but Y". */
const TURN = new Set(['but', 'use', 'sondern', 'verwende', 'nutze', 'mais', 'utilise', 'sino', 'usa', 'only'])

const WORD = /[\p{L}\p{N}_@./'-]+|[,;:.!?]/gu

function readSense(text: string): RuleSense {
  const wanted = new Set<string>()
  const rejected = new Set<string>()
  let isRejected = false
  let ruledOut = 0
  for (const [found] of text.toLowerCase().replace(/[’‘´]/g, "'").matchAll(WORD)) {
    const word = found.replace(/^[.']+|[.,;:'!?]+$/g, '')
    if (word === '' || (TURN.has(word) && ruledOut > 0)) isRejected = false
    if (NEGATION.has(word)) {
      isRejected = true
      ruledOut = 0
    } else if (word !== '' && !FILLER.has(word)) {
      ruledOut += 1
      const stem = word.length > 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word
      ;(isRejected ? rejected : wanted).add(stem)
    }
  }
  return { wanted, rejected }
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1
  const shared = [...one].filter((word) => other.has(word)).length
  return shared / (one.size + other.size - shared)
}

const SAME = 0.75
const OPPOSITE = 0.6

/** Whether both say the same thing, perhaps in other words. */
export function isSameRule(one: string, other: string): boolean {
  const [a, b] = [readSense(one), readSense(other)]
  return likeness(a.wanted, b.wanted) >= SAME && likeness(a.rejected, b.rejected) >= SAME
}

/** Whether one rule plainly asks for what the other rules out, or both choose different things instead of the same one. */
export function isContradiction(one: string, other: string): boolean {
  const [a, b] = [readSense(one), readSense(other)]
  const isFlip = (wanted: RuleSense['wanted'], rejected: RuleSense['rejected']) =>
    wanted.size > 0 && rejected.size > 0 && likeness(wanted, rejected) >= OPPOSITE
  if (isFlip(a.wanted, b.rejected) || isFlip(b.wanted, a.rejected)) return true
  const isChoice = a.wanted.size === 1 && b.wanted.size === 1 && a.rejected.size > 0
  return isChoice && likeness(a.rejected, b.rejected) >= SAME && likeness(a.wanted, b.wanted) === 0
}

const RELEASES = [
  /^(?:ok(?:ay)?,? |yes,? |so )?you (?:can|may) (?:now )?(.{3,80}?) (?:again|now|from now on)\b/i,
  /\b(?:it's|it is|that's) (?:ok|okay|fine|allowed) (?:now )?to (.{3,80}?) (?:again|now)\b/i,
  /\b(?:forget|ignore|drop|scrap|lift|never mind) (?:the rule|my rule|what i said|that rule) (?:about|on|that) (.{3,80})/i,
  /\bdu darfst (?:jetzt |ab jetzt )?wieder (.{3,80})/i,
]

/** Whether the message lifts the rule: "you can push to main again". */
export function isReleased(rule: string, message: string): boolean {
  const lifted = RELEASES.flatMap((pattern) => pattern.exec(message)?.[1] ?? [])
  if (lifted.length === 0) return false
  const { wanted, rejected } = readSense(rule)
  return lifted.some((text) => {
    const released = readSense(text)
    const about = new Set([...released.wanted, ...released.rejected])
    return likeness(about, rejected.size > 0 ? rejected : wanted) >= OPPOSITE
  })
}
