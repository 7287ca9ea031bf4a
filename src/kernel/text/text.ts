import type { EventOf } from '../event.ts'
import { clipMiddle } from './clip.ts'

const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1_000, name: 's' },
] as const

/** A duration in its largest whole unit: `3 min`, `2 d`. */
export function formatDuration(ms: number): string {
  const unit = UNITS.find((candidate) => ms >= candidate.ms)
  return unit === undefined ? '0 s' : `${Math.floor(ms / unit.ms)} ${unit.name}`
}

/** `3 h ago`; `just now` for less than `precisionMs` and for a time in the future. */
export function formatAge(at: string, now: string, precisionMs = 60_000): string {
  const ms = Date.parse(now) - Date.parse(at)
  if (Number.isNaN(ms)) return 'at an unknown time'
  return ms < precisionMs ? 'just now' : `${formatDuration(ms)} ago`
}

const ELLIPSIS = '…'

/** The log stores far more of a prompt (`KEPT_PROMPT_CHARS`); processing must cost the same however much was pasted. */
const READ_PROMPT_CHARS = 8_000

/** The part of a prompt that is processed: for a checkpoint, for memories, for a buffer in the project. */
export function clipPrompt({ prompt }: Pick<EventOf<'prompt-submitted'>, 'prompt'>): string {
  return clipMiddle(prompt, READ_PROMPT_CHARS)
}

/** One line, well-formed, single spaces. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim()
}

/** Never splits a surrogate pair. */
export function cutUnits(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  if (maxChars <= 0) return ''
  const last = text.charCodeAt(maxChars - 1)
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isHighSurrogate ? maxChars - 1 : maxChars)
}

/** At most `maxChars`, ending in an ellipsis if it was cut. Keeps newlines. */
export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutUnits(text, Math.max(0, maxChars - ELLIPSIS.length))}${ELLIPSIS}`
}

/** At most `maxChars`, cut between words, ending in an ellipsis if it was cut. */
export function clip(text: string, maxChars: number): string {
  const line = oneLine(text)
  if (line.length <= maxChars) return line
  const head = cutUnits(line, Math.max(0, maxChars - ELLIPSIS.length))
  if (line[head.length] === ' ') return `${head}${ELLIPSIS}`
  const space = head.lastIndexOf(' ')
  return `${space > head.length * 0.6 ? head.slice(0, space) : head}${ELLIPSIS}`
}

/** All but the last folder of a path, of which two folders or more are before it. */
const FOLDERS = /(?<![\w.@~+/-])\/?(?:[\w.@~+-]+\/){2,}(?=[\w.@~+-]+\/[\w.@~+-])/g

/** Paths cut to `…/folder/file`, which is enough to identify the file. */
export function withoutFolders(text: string): string {
  return text.replace(FOLDERS, `${ELLIPSIS}/`)
}

/** A quotation of at most `maxChars`: verbatim, else without the folders of its paths, else without its end; each cut is marked. */
export function clipQuote(text: string, maxChars: number): string {
  const line = oneLine(text)
  return line.length <= maxChars ? line : clip(withoutFolders(line), maxChars)
}

/** Also before a heading, because what follows can be left out as a whole; not after the number of a list item. */
const SENTENCE_END = /(?:(?<!(?:^|\s)\d{1,2})\.|[!?])(?=\s|$)|\n|(?<!:)\s(?=#{1,6}\s)/g

/** As many whole sentences from the start as fit; a first sentence that is too long by itself is clipped. */
export function leadingSentences(text: string, maxChars: number): string {
  const source = text.toWellFormed().trim()
  if (oneLine(source).length <= maxChars) return oneLine(source)
  let selected = ''
  for (const match of source.matchAll(SENTENCE_END)) {
    const head = oneLine(source.slice(0, match.index + 1))
    if (head.length > maxChars) break
    selected = head
  }
  return selected.length >= maxChars * 0.3 ? selected : clip(source, maxChars)
}

/** The last question in the text, if there is one. */
export function lastQuestion(text: string, maxChars: number): string | undefined {
  const sentences = text
    .toWellFormed()
    .split(/(?<=[.!?])\s|\n/)
    .map(oneLine)
  const question = sentences.findLast((sentence) => sentence.endsWith('?') && sentence.length > 3)
  return question === undefined ? undefined : clip(question, maxChars)
}

// oxlint-disable-next-line no-control-regex -- terminal colour codes are what is being removed
const ANSI = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g

export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(ANSI, '') : text
}

/** `1 edit`, `2 edits`. */
export function pluralize(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`
}

/** A commit or a push as an order: `commit it`, `push to main`; not `the commit parser`, `push notifications`. */
const CHORE =
  /\b(?:commit|push)(?: (?:a|again|all|and|any|as|both|changes|directly|everything|for|from|in|into|it|my|now|on|our|please|so|straight|that|the (?:branch|changes?|code|current|files?|latest|new|rest|result|staged|work)|them|then|these|this|those|to|together|up|we|what|when|with|without|your)\b|\s*[,.;:!?)]|\s*$)/i
/** A request beyond the commit. */
const WORK =
  /\b(?:add|bug|build|change|create|delete|extend|extract|fix|implement|improve|investigate|make it|migrate|move|refactor|remove|rename|replace|rewrite|split|support|upgrade|why)\b/i
const MAX_CHORE_CHARS = 60

/** "Commit it", "push please". */
export function isChore(request: string): boolean {
  return request.length < MAX_CHORE_CHARS && CHORE.test(request) && !WORK.test(request)
}

/** False for "yes", "go on" and "commit what we have": they do not say what the session is for. */
export function isSubstantiveRequest(request: string): boolean {
  return request.length >= 25 && !isChore(request)
}

/** Removes code blocks: they are examples or file contents. An unclosed block goes to the end. */
export function withoutCode(text: string): string {
  let fence: string | undefined
  const selected: string[] = []
  for (const line of text.split('\n')) {
    const mark = line.trimStart().slice(0, 3)
    const isFence = mark === '```' || mark === '~~~'
    if (fence === undefined && !isFence) selected.push(line)
    else if (fence === undefined) fence = mark
    else if (mark === fence) fence = undefined
  }
  return selected.join('\n')
}

const LIST_MARK = /^\s*(?:#{1,6}|[-*+>|])\s+/
const MIN_CLIPPED_CHARS = 60
const EMPHASIS = /\*\*|__/g

/** As many whole lines and sentences from the end as fit, without code and list markers: what a short reply answers. */
export function closingSentences(text: string, maxChars: number): string {
  const pieces = withoutCode(text.toWellFormed())
    .split('\n')
    .flatMap((line) =>
      line
        .replace(LIST_MARK, '')
        .replace(EMPHASIS, '')
        .split(/(?<=[a-z)"'`][.!?:])\s+/),
    )
    .map(oneLine)
    .filter((piece) => /\w/.test(piece))
  let selected = ''
  for (const piece of pieces.toReversed()) {
    const left = maxChars - selected.length - (selected === '' ? 0 : 1)
    if (piece.length > left && left < MIN_CLIPPED_CHARS) break
    selected = selected === '' ? clip(piece, left) : `${clip(piece, left)} ${selected}`
    if (piece.length > left) break
  }
  return selected
}

const ANSWER =
  /^\W*(?:y|ye[ps]|yeah|yup|no|nope|ok|okay|sure|right|agreed|correct|exactly|perfect|great|sounds good|do (?:it|so|that|this|them|both|all)|go (?:ahead|for|on)|continue|proceed|let'?s (?:do|go|try|use) (?:it|that|this|them|both|all|with)|both|all|none|neither|either|option|the (?:first|second|third|last|latter|former)|[a-f]|\d)\b/i
const MAX_ANSWER_CHARS = 140
const MAX_BARE_CHARS = 12

/** True for "yes", "1+2" and "yeah, apply this too", which make sense only after the message before them. */
export function isAnswer(request: string): boolean {
  if (isChore(request)) return false
  return request.length <= MAX_BARE_CHARS || (request.length <= MAX_ANSWER_CHARS && ANSWER.test(request))
}
