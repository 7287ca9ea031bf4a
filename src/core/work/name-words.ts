const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g
const ENDING = /^(.{3,}?)(?:ing|ed|es|e|(?<!s)s)$/

/** Words that are in every sentence. */
const STOP: ReadonlySet<string> = new Set(
  'the and or of to in for is it that this with on as be by from at are not you we if do can will should have has was were but so then when what which there an'.split(
    ' ',
  ),
)

/** The words of a name or a sentence, by what `passRate`, `pass_rate` and "passing rates" share. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [match] of text.matchAll(WORD)) {
    const whole = match.toLowerCase()
    const word = whole.replace(ENDING, '$1')
    if (word.length > 1 && !STOP.has(whole)) words.add(word)
  }
  return words
}
