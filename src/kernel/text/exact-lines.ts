import { sanitize } from './sanitize.ts'

/** Seen as blanks, and unable to begin a line or hide a word. */
const BLANKS = /[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g
/** What holds an emoji together; anywhere else the same characters hide something. */
const EMOJI_JOINTS =
  /(?<=\p{Extended_Pictographic}|[0-9#*])\ufe0f|(?<=[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu
/** Line ends that JSON leaves as they are, and everything that a reader does not see. */
const ESCAPED =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these very characters are made visible
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]|[<>]|`{3,}|~{3,}|\[(?=\/?holdfast\b)/giu

const INSET = '  '

/** Whether a line may stand in a fence as it is: nothing in it would have to be changed but blanks. */
export function isHarmless(line: string): boolean {
  const plain = line.replace(EMOJI_JOINTS, '').replace(BLANKS, ' ').trim()
  return sanitize(plain) === plain
}

function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    const unit = text.charCodeAt(at)
    return `\\u${unit.toString(16).padStart(4, '0')}`
  }).join('')
}

/** The text as one JSON string that may stand in a fence: whoever parses it has every byte. */
function asJson(text: string): string {
  return JSON.stringify(text).replace(ESCAPED, escapeUnits)
}

/** A labelled text, byte for byte: its own lines where they are harmless, set in so that none passes for a label of ours; else one JSON string. */
export function exactLines(label: string, text: string): readonly string[] {
  const lines = text.split('\n')
  if (!lines.every(isHarmless)) return [`${label} (as JSON): ${asJson(text)}`]
  const [first = '', ...rest] = lines
  return rest.length === 0 ? [`${label}: ${first}`] : [`${label}:`, ...lines.map((line) => `${INSET}${line}`)]
}
