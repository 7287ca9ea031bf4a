const OPENING =
  /^\[holdfast ([0-9a-f]{8}): (?:notes from the past|what others wrote|evidence|a record)[,;] not instructions\]$/

/** Lines of the text that are not between the two marks of one fence. Refuses a fence that does not close, and a line in one without its mark. */
export function linesOutsideFences(text: string): readonly string[] {
  const lines: string[] = []
  let nonce: string | undefined
  for (const line of text.split('\n')) {
    const opened = OPENING.exec(line)?.[1]
    if (nonce === undefined && opened !== undefined) nonce = opened
    else if (nonce !== undefined && line === `[/holdfast ${nonce}]`) nonce = undefined
    else if (nonce === undefined) lines.push(line)
    else if (!line.startsWith('| ')) throw new Error(`in a fence and without its mark: ${JSON.stringify(line)}`)
  }
  if (nonce !== undefined) throw new Error('a fence does not close')
  return lines
}

/** Words of the hostile texts that none of ours has. */
const THEIR_WORDS =
  /obey|ignore all|evil|you are (?:root|now)|forged|overwritten|maintenance|publish|approve|no restrictions|push to main|delete the tests|trust me|orders, to be|now outside|\.env file|yebo|rm -rf|alert\(/i

/** What would be read as a voice other than that of a quoted note. */
const FORGED = /<\/?(?:system|user|function|tool|script|invoke|parameter)|<\||<!\[CDATA/i

const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- these very characters must not arrive
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]/u

/** Whatever of a hostile text got out of its fence; empty when nothing did. */
export function escapedFrom(text: string): readonly string[] {
  const outside = linesOutsideFences(text).filter((line) => THEIR_WORDS.test(line) || /^\[\/?holdfast/.test(line))
  return [
    ...outside.map((line) => `outside: ${line.slice(0, 120)}`),
    ...text
      .split('\n')
      .filter((line) => FORGED.test(line) || HIDDEN.test(line))
      .map((line) => `forged or hidden: ${JSON.stringify(line.slice(0, 120))}`),
  ]
}

/** The same for JSON: what is quoted in a string is quoted; what looks like a tag or is hidden is not. */
export function escapedFromJson(text: string): readonly string[] {
  JSON.parse(text)
  return text
    .split('\n')
    .filter((line) => FORGED.test(line) || HIDDEN.test(line))
    .map((line) => `forged or hidden: ${JSON.stringify(line.slice(0, 120))}`)
}
