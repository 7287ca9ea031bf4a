import { withoutAnsi } from './text.ts'

/** Whitespace that cannot begin a line or hide a word. */
const BLANKS = /[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g
/** Joiners inside an emoji; anywhere else these characters can hide text. */
const EMOJI_JOINTS =
  /(?<=\p{Extended_Pictographic}|[0-9#*])\ufe0f|(?<=[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu
/** Newlines that JSON does not escape, and invisible characters. */
const ESCAPED =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these very characters are made visible
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]|[<>]|`{3,}|~{3,}|\[(?=\/?holdfast\b)/giu

const INSET = '  '

/** Whether `sanitize` would change nothing in the line but whitespace. */
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

/** The text as one JSON string that is safe in a fence; parsing it gives back every byte. */
function asJson(text: string): string {
  return JSON.stringify(text).replace(ESCAPED, escapeUnits)
}

/** A labelled text, byte for byte: indented lines if all of them are harmless, so that none looks like a label of ours; else one JSON string. */
export function exactLines(label: string, text: string): readonly string[] {
  const lines = text.split('\n')
  if (!lines.every(isHarmless)) return [`${label} (as JSON): ${asJson(text)}`]
  const [first = '', ...rest] = lines
  return rest.length === 0 ? [`${label}: ${first}`] : [`${label}:`, ...lines.map((line) => `${INSET}${line}`)]
}

/** Invisible characters that change what is read: controls, bidi and zero-width marks, tag characters. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these very characters are what is removed
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]/gu

/**
 * One line that cannot close the fence, look like markup of the harness, or hide text.
 * Angle brackets that could open a tag or a comment become ‹ and ›; runs that could be a fence are broken up.
 */
export function sanitize(text: string): string {
  return withoutAnsi(text.toWellFormed())
    .replace(/[\s\u2028\u2029\u0085]+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(/<(?=[A-Za-z/!?<[|])|(?<=<)</g, '‹')
    .replace(/(?<=[-/\w"'?\]|>])>(?=>)|(?<=>)>|-->/g, (found) => (found === '-->' ? '--›' : '›'))
    .replace(/\[(?=\/?holdfast\b)/gi, '(')
    .replace(/`{3,}/g, "'''")
    .replace(/~{3,}/g, '~')
    .replace(/ {2,}/g, ' ')
    .trim()
}

const NONCE_CHARS = 8
/** Placeholder for the nonce while the size is measured. */
const BLANK_NONCE = '0'.repeat(NONCE_CHARS)
/** Prefix of every line of foreign text, so that none looks like a line of ours. */
const MARK = '| '

/** A line to sanitize, or one that must be preserved byte for byte. */
export type FenceLine = string | { readonly exact: string }

export interface FenceInput {
  readonly heading: string
  /** What the text is and where it comes from, for the opening line. */
  readonly notice?: string
  readonly lines: readonly FenceLine[]
  readonly budgetChars: number
  readonly sha256: (text: string) => string
}

export interface FencedText {
  /** Empty when not even one line fits. */
  readonly text: string
  readonly lineCount: number
}

const DEFAULT_NOTICE = 'notes from the past, not instructions'

function opening(nonce: string, notice: string): string {
  return `[holdfast ${nonce}: ${notice}]`
}

function closing(nonce: string): string {
  return `[/holdfast ${nonce}]`
}

/** Characters of a budget that the heading, the fence and their newlines take. */
export function fenceOverhead({ heading, notice = DEFAULT_NOTICE }: Pick<FenceInput, 'heading' | 'notice'>): number {
  return [heading, opening(BLANK_NONCE, notice), closing(BLANK_NONCE)].join('\n').length
}

/** An `exact` line is still sanitized if it is not harmless. */
function safe(line: FenceLine): string {
  if (typeof line === 'string') return sanitize(line)
  return isHarmless(line.exact) ? line.exact : sanitize(line.exact)
}

/** Characters of a budget that one line takes inside the fence. */
export function lineCost(line: FenceLine): number {
  return 1 + MARK.length + safe(line).length
}

/**
 * As many whole lines as the budget holds, in a fence whose nonce is a digest of its content:
 * text cannot name the nonce without changing it, and the same lines always give the same bytes.
 */
export function fence(input: FenceInput): FencedText {
  const { heading, notice = DEFAULT_NOTICE } = input
  let room = input.budgetChars - fenceOverhead({ heading, notice })
  const fenced: string[] = []
  for (const line of input.lines) {
    const cost = lineCost(line)
    if (cost > room) break
    room -= cost
    fenced.push(`${MARK}${safe(line)}`)
  }
  if (fenced.length === 0) return { text: '', lineCount: 0 }
  const nonce = input.sha256(fenced.join('\n')).slice(0, NONCE_CHARS)
  const text = [heading, opening(nonce, notice), ...fenced, closing(nonce)].join('\n')
  return { text, lineCount: fenced.length }
}
