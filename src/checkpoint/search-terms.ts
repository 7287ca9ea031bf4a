const STOP: ReadonlySet<string> = new Set(
  'the and for you that this with from have not are was but can all will your what when how has its let into our out now use via per please should would could there here then than them they make just also like some any one get got did does done want need'.split(
    ' ',
  ),
)
const MAX_TERMS = 12

/** Search terms of a prompt: distinct, lower case, at most twelve. */
export function searchTerms(prompt: string): string {
  const terms = new Set<string>()
  for (const match of prompt
    .slice(0, 4_000)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]{3,40}/gu)) {
    if (!STOP.has(match[0])) terms.add(match[0])
    if (terms.size >= MAX_TERMS) break
  }
  return [...terms].join(' ')
}
