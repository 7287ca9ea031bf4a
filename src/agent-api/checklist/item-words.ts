import { ALIASES, COMMON_NAME_WORDS, COMMON_WORDS } from './vocabulary.ts'

const LONG_SUFFIXES =
  /(?:ifications?|ications?|i[sz]ations?|ations?|ators?|ates?|ated|ating|i[sz]es?|i[sz]ed|i[sz]ing|i[sz]ers?)$/
const SHORT_SUFFIXES =
  /(?:ements?|ments?|ings?|ions?|ies|ied|iers?|ers?|ors?|ives?|able|ible|ity|ance|ence|als?|ly|es|ed|s|y|e)$/
const DOUBLED = /(bb|dd|gg|mm|nn|pp|rr|tt)$/

function strip(word: string): string {
  const long = word.replace(LONG_SUFFIXES, '')
  if (long !== word && long.length >= 4) return long
  const short = word.replace(SHORT_SUFFIXES, '')
  if (short.length >= 3) return short
  return word.length > 3 ? word.replace(/(?:es|s)$/, '') : word
}

/** One form for the inflections of a word: `verification`, `verifier` and `verify` are `verif`. */
function stem(word: string): string {
  const known = ALIASES.get(word)
  if (known !== undefined) return known
  const root = strip(word.replace(/(?<=...)our(?=$|s$|ed$|ing$)/, 'or')).replace(DOUBLED, (pair) => pair.slice(1))
  return ALIASES.get(root) ?? root
}

/** The words of a name in any of the usual cases. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** One spelling for the usual cases of a name. */
export const toPlain = (name: string) => splitName(name).join('')

/** The subject of a name: its words without generic ones; `get` has none. */
export function nameWords(name: string): ReadonlySet<string> {
  const joined = name.replace(
    /(?<=^|[a-z\d_])((?:[Ll]og|[Ss]ign|[Cc]heck|[Bb]ack|[Rr]oll|[Cc]lean|[Ss]hut|[Tt]ear)(?:Up|In|Out|Back|Down))(?![a-z])/g,
    (verb) => `${verb.slice(0, 1)}${verb.slice(1).toLowerCase()}`,
  )
  const telling = splitName(joined).filter((word) => !COMMON_NAME_WORDS.has(word) && word.length > 1)
  return new Set(telling.map(stem))
}

/** Names write these as one word. */
const PHRASAL_VERB = /\b(look|log|sign|check|back|roll|clean|shut|tear|set)(?:s|ed|ing)? (up|in|out|back|down)\b/gi

/** The subject words of a sentence. Names in it are split into their words. */
export function sentenceWords(text: string): ReadonlySet<string> {
  const words = text
    .replace(PHRASAL_VERB, '$1$2')
    .replace(/(?:[\w@.-]+\/)*[\w@.-]+\.[a-z\d]{1,5}\b/g, ' ')
    .split(/[^\p{L}\p{N}_'-]+/u)
    .flatMap((word) => splitName(word.replace(/'s$/, '')))
  return new Set(words.filter((word) => !COMMON_WORDS.has(word) && word.length > 1 && !/^\d+$/.test(word)).map(stem))
}

export function countShared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared
}
