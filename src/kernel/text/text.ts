import type { EventOf } from '../event.ts'
import { clip as leaveOutMiddle } from './clip.ts'

const ELLIPSIS = '…'

/** The log keeps far more of a prompt (`KEPT_PROMPT_CHARS`); what follows from it must cost the same however much was pasted. */
const READ_PROMPT_CHARS = 8_000

/** As much of a prompt as is looked at: for a checkpoint, for memories, for a buffer in the project. */
export function readPrompt({ prompt }: Pick<EventOf<'prompt-submitted'>, 'prompt'>): string {
  return leaveOutMiddle(prompt, READ_PROMPT_CHARS)
}

/** One line, well-formed, single spaces: what every kept piece of text is reduced to. */
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

/** At most `maxChars`, cut between words and saying so. */
export function clip(text: string, maxChars: number): string {
  const line = oneLine(text)
  if (line.length <= maxChars) return line
  const head = cutUnits(line, Math.max(0, maxChars - ELLIPSIS.length))
  if (line[head.length] === ' ') return `${head}${ELLIPSIS}`
  const space = head.lastIndexOf(' ')
  return `${space > head.length * 0.6 ? head.slice(0, space) : head}${ELLIPSIS}`
}

/** A heading begins what can be left out as a whole, also where lines were joined; the number of a list's item ends nothing. */
const SENTENCE_END = /(?:(?<!(?:^|\s)\d{1,2})\.|[!?])(?=\s|$)|\n|(?<!:)\s(?=#{1,6}\s)/g

/** As many whole sentences from the start as fit; a first sentence that is too long by itself is clipped. */
export function leadingSentences(text: string, maxChars: number): string {
  const source = text.toWellFormed().trim()
  if (oneLine(source).length <= maxChars) return oneLine(source)
  let kept = ''
  for (const match of source.matchAll(SENTENCE_END)) {
    const head = oneLine(source.slice(0, match.index + 1))
    if (head.length > maxChars) break
    kept = head
  }
  return kept.length >= maxChars * 0.3 ? kept : clip(source, maxChars)
}

/** The last sentence that asks something; undefined when the text asks nothing. */
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
export function counted(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`
}

/** A commit or a push as an order: `commit it`, `push to main`; not `the commit parser`, `push notifications`. */
const CHORE =
  /\b(?:commit|push)(?: (?:a|again|all|and|any|as|both|changes|directly|everything|for|from|in|into|it|my|now|on|our|please|so|straight|that|the (?:branch|changes?|code|current|files?|latest|new|rest|result|staged|work)|them|then|these|this|those|to|together|up|we|what|when|with|without|your)\b|\s*[,.;:!?)]|\s*$)/i
/** What is asked for besides. */
const WORK =
  /\b(?:add|bug|build|change|create|delete|extend|extract|fix|implement|improve|investigate|make it|migrate|move|refactor|remove|rename|replace|rewrite|split|support|upgrade|why)\b/i
const MAX_CHORE_CHARS = 60

function isChore(ask: string): boolean {
  return ask.length < MAX_CHORE_CHARS && CHORE.test(ask) && !WORK.test(ask)
}

/** "yes", "go on" and "commit what we have" say nothing about what a session is for. */
export function saysWhatFor(ask: string): boolean {
  return ask.length >= 25 && !isChore(ask)
}

/** Without blocks of code: what stands in one is an example, or what a file will hold. One that is never closed goes on to the end. */
export function withoutCode(text: string): string {
  let fence: string | undefined
  const kept: string[] = []
  for (const line of text.split('\n')) {
    const mark = line.trimStart().slice(0, 3)
    const isFence = mark === '```' || mark === '~~~'
    if (fence === undefined && !isFence) kept.push(line)
    else if (fence === undefined) fence = mark
    else if (mark === fence) fence = undefined
  }
  return kept.join('\n')
}

const LIST_MARK = /^\s*(?:#{1,6}|[-*+>|])\s+/
const MIN_CLIPPED_CHARS = 60
const EMPHASIS = /\*\*|__/g

/** As many whole lines and sentences from the end as fit, without code and marks of lists: what an answer was an answer to. */
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
  let kept = ''
  for (const piece of pieces.toReversed()) {
    const left = maxChars - kept.length - (kept === '' ? 0 : 1)
    if (piece.length > left && left < MIN_CLIPPED_CHARS) break
    kept = kept === '' ? clip(piece, left) : `${clip(piece, left)} ${kept}`
    if (piece.length > left) break
  }
  return kept
}

const ANSWER =
  /^\W*(?:y|ye[ps]|yeah|yup|no|nope|ok|okay|sure|right|agreed|correct|exactly|perfect|great|sounds good|do (?:it|so|that|this|them|both|all)|go (?:ahead|for|on)|continue|proceed|let'?s (?:do|go|try|use) (?:it|that|this|them|both|all|with)|both|all|none|neither|either|option|the (?:first|second|third|last|latter|former)|[a-f]|\d)\b/i
const MAX_ANSWER_CHARS = 140
const MAX_BARE_CHARS = 12

/** "yes", "1+2" and "yeah, apply this too" can be understood only beside what was said before them. */
export function isAnswer(ask: string): boolean {
  if (isChore(ask)) return false
  return ask.length <= MAX_BARE_CHARS || (ask.length <= MAX_ANSWER_CHARS && ANSWER.test(ask))
}
