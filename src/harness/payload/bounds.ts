import { clipMiddle } from '../../kernel/text/clip.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import * as z from 'zod'

/** Text of a foreign payload. A field of the wrong type is read as absent: one odd field must not lose the whole event. */
export const lenientText = z.string().optional().catch(undefined)

/** Maximum characters of each kind of field in an event. Far above what is ever shown, far below what a harness can send. */
export const BOUNDS = {
  /**
   * More than is stored of a prompt (`KEPT_PROMPT_CHARS`): the later cut, made after the values of the project's env
   * files are removed, drops this cut's edge. Readers take less (`readPrompt`).
   */
  prompt: 80_000,
  message: 10_000,
  summary: 32_000,
  output: 4_000,
  /** Output whose content is available elsewhere: file listings, pages, MCP results. */
  briefOutput: 1_000,
  command: 2_000,
  fragment: 4_000,
  plan: 8_000,
  line: 400,
  path: 1_024,
  word: 200,
} as const

export const MAX_FILES = 20
export const MAX_TODOS = 60

const redactor = createRedactor()

/**
 * The text within its limit and without lone surrogates; undefined for anything but a non-empty text. A text that must be
 * cut is redacted first: half of a secret, or a value without its name, would not be recognised.
 */
export function bounded(value: unknown, maxChars: number): string | undefined {
  if (typeof value !== 'string' || maxChars === 0) return undefined
  const whole = value.toWellFormed()
  const text = clipMiddle(whole.length > maxChars ? redactor.redact(whole) : whole, maxChars)
  return text.trim() === '' ? undefined : text
}

export function boundedPrompt(value: unknown): string | undefined {
  return bounded(value, BOUNDS.prompt)
}

/** A path that is too long is dropped: half of it would name another file. */
export function boundedPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > BOUNDS.path || value.includes('\0')) return undefined
  return value.toWellFormed()
}

const SCANNED_CHARS = 20_000

/** The part of a text that is searched for names and paths, cut between words. */
export function scannedPart(text: string): string {
  if (text.length <= SCANNED_CHARS) return text
  const head = text.slice(0, SCANNED_CHARS)
  return head.slice(0, Math.max(0, head.lastIndexOf('\n'), head.lastIndexOf(' ')))
}
