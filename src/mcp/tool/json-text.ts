/** Not seen, but changing what is read: controls, bidi and zero-width marks, tag characters. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- these very characters are what is escaped
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu
/** What could open or close markup that a harness gives a meaning to. */
const TAG_START = /<(?=[a-z/!?[|])/gi

function escaped(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, at) => String.raw`\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

/**
 * JSON in which other people's text stays inside its strings, for a reader that does not parse it: nothing looks like a
 * harness's own tag, and nothing is hidden. Parsed, it is the very same value.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(TAG_START, escaped).replace(HIDDEN, escaped)
}
