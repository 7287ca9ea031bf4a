import type { Redactor } from '../../../kernel/ports/ports.ts'

/** The limit for buffering a private key, or a value on the line after its name. */
const MAX_HELD_CHARS = 1 << 20

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY/g
const KEY_END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY/g
/** A line whose value may be on the next line. */
const OPEN_LINE = /[=:|>,\\][ \t]{0,8}\r?$/
/** A line of Base64 characters: more may follow, and the label is above them. */
const LETTERS_LINE = /^[ \t]{0,64}[\w+/=]{16,512}\r?$/

function lastMatch(pattern: RegExp, text: string): number {
  let last = -1
  for (const found of text.matchAll(pattern)) last = found.index
  return last
}

/** The offset after the last whitespace; the whole length if there is none. */
function findLastSpace(text: string): number {
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'), text.lastIndexOf('\t')) + 1
  return end === 0 ? text.length : end
}

/** The start of the line that ends before `end`. */
function lineStart(text: string, end: number): number {
  return end < 2 ? 0 : text.lastIndexOf('\n', end - 2) + 1
}

/** How many characters can be released: whole lines without an unfinished secret. */
function readyChars(text: string): number {
  const begin = lastMatch(KEY_BEGIN, text)
  let end = text.lastIndexOf('\n') + 1
  if (begin > lastMatch(KEY_END, text)) end = Math.min(end, text.lastIndexOf('\n', begin) + 1)
  while (end > 0 && LETTERS_LINE.test(text.slice(lineStart(text, end), end - 1))) end = lineStart(text, end)
  if (end > 0 && OPEN_LINE.test(text.slice(Math.max(lineStart(text, end), end - 64), end - 1)))
    return lineStart(text, end)
  return end
}

export interface TextFilter {
  /** Adds text and returns what is complete, redacted. */
  push(chunk: string): string
  /** Returns the remaining text, redacted. */
  end(): string
}

/** Redacts a stream line by line, buffering only what may be part of a secret. */
export function createTextFilter(redactor: Redactor): TextFilter {
  let held = ''
  return {
    push(chunk) {
      held += chunk
      const ready = held.length > MAX_HELD_CHARS ? findLastSpace(held) : readyChars(held)
      const clean = redactor.redact(held.slice(0, ready))
      held = held.slice(ready)
      return clean
    },
    end() {
      const clean = redactor.redact(held)
      held = ''
      return clean
    },
  }
}
