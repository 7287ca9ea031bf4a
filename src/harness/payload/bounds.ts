import { clip } from '../../kernel/text/clip.ts'
import { createRedactor } from '../../redaction/redactor.ts'

/** Characters that each kind of field may hold once it is an event. Far above what is ever shown, far below what a harness can send. */
export const BOUNDS = {
  /**
   * What a person wrote or pasted is theirs to find again. More than is kept of it (`KEPT_PROMPT_CHARS`): the place of this cut
   * is left out by the one that follows once the values of the project's env files are gone. What reads it takes less (`readPrompt`).
   */
  prompt: 80_000,
  message: 4_000,
  summary: 8_000,
  output: 4_000,
  /** Output whose content lies elsewhere: file listings, pages, MCP results. */
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

/** The text within its bound and without lone surrogates; undefined for anything but a text with something in it. */
export function bounded(value: unknown, maxChars: number): string | undefined {
  if (typeof value !== 'string' || maxChars === 0) return undefined
  const text = clip(value.toWellFormed(), maxChars)
  return text.trim() === '' ? undefined : text
}

const redactor = createRedactor()

/** A prompt within its bound. One that has to be cut is redacted whole before: half of a secret is not found any more. */
export function boundedPrompt(value: unknown): string | undefined {
  const isCut = typeof value === 'string' && value.length > BOUNDS.prompt
  return bounded(isCut ? redactor.redact(value.toWellFormed()) : value, BOUNDS.prompt)
}

/** A path is whole or it is nothing: half of one names another file. */
export function boundedPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > BOUNDS.path || value.includes('\0')) return undefined
  return value.toWellFormed()
}

const SCANNED_CHARS = 20_000

/** As much of a text as is looked through for names and paths: whole words, for half of a name is another one. */
export function scannedPart(text: string): string {
  if (text.length <= SCANNED_CHARS) return text
  const head = text.slice(0, SCANNED_CHARS)
  return head.slice(0, Math.max(0, head.lastIndexOf('\n'), head.lastIndexOf(' ')))
}
