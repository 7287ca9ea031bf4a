import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { redactForeign } from '../../redaction/redact-input.ts'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { isObject, type JsonObject } from '../../kernel/json-shape.ts'

const MAX_DOCUMENT_BYTES = 128 * 1_048_576

/** The JSON object in a whole file. */
export async function readDocument(path: string): Promise<JsonObject> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size > MAX_DOCUMENT_BYTES)
    throw new HoldfastError('too-large', `${path} has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} can be read.`)
  try {
    const text = (await file.readFile('utf8')).replace(/^\uFEFF/, '')
    const document: unknown = redactForeign(JSON.parse(text), text)
    if (isObject(document)) return document
    throw new Error('it does not contain a JSON object')
  } catch (thrown) {
    throw new HoldfastError('invalid-input', `${path} is not a transcript: ${getErrorMessage(thrown)}.`, {
      cause: thrown,
    })
  }
}

/** One line, without its newline. */
export interface Line {
  readonly start: number
  readonly text: string
}

export interface LineChunk {
  readonly lines: readonly Line[]
  /** Where the first of these lines begins. */
  readonly start: number
  /** Where the next read begins; never inside a line. */
  readonly nextOffset: number
  readonly isTail: boolean
  /** The bytes after the last newline, when there is nothing else: a line that is still being written. */
  readonly rest?: string
}

export interface ReadLimits {
  /** Bytes per read. */
  readonly chunkBytes: number
  /** Older bytes than this are skipped. */
  readonly backlogBytes: number
}

export const LIVE_LIMITS: ReadLimits = { chunkBytes: 4 * 1_048_576, backlogBytes: 16 * 1_048_576 }

const NEWLINE = 10

async function readBytes(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** The offset after the next newline at or after `from`; undefined when there is none before `size`. */
async function afterNextNewline(file: FileHandle, from: number, size: number): Promise<number | undefined> {
  for (let at = from; at < size; ) {
    const bytes = await readBytes(file, at, Math.min(262_144, size - at))
    if (bytes.length === 0) return undefined
    const newline = bytes.indexOf(NEWLINE)
    if (newline >= 0) return at + newline + 1
    at += bytes.length
  }
  return undefined
}

/** The line start at or after `from`: an offset that a rewritten file left inside a line moves to the next one. */
async function lineStart(file: FileHandle, from: number, size: number): Promise<number | undefined> {
  if (from === 0) return 0
  const [before] = await readBytes(file, from - 1, 1)
  return before === NEWLINE ? from : afterNextNewline(file, from, size)
}

function splitLines(bytes: Buffer, start: number): Line[] {
  const lines: Line[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, from)
    const to = end < 0 ? bytes.length : end
    // Bytes that are not UTF-8 become U+FFFD; NULs, which a power loss leaves behind, are not part of the line after them.
    let first = from
    while (first < to && bytes[first] === 0) first += 1
    if (to > first) lines.push({ start: start + from, text: bytes.toString('utf8', first, to) })
    from = to + 1
  }
  return lines
}

async function readChunk(file: FileHandle, offset: number, limits: ReadLimits): Promise<LineChunk> {
  const facts = await file.stat()
  const nothing = { lines: [], start: offset, nextOffset: offset, isTail: false }
  if (!facts.isFile()) return nothing
  const size = facts.size
  // A file that is shorter than the offset was truncated or replaced.
  const from = offset > size ? 0 : offset
  const isTail = size - from > limits.backlogBytes
  const start = await lineStart(file, isTail ? size - limits.backlogBytes : from, size)
  if (start === undefined) return { ...nothing, isTail }
  const bytes = await readBytes(file, start, Math.min(limits.chunkBytes, size - start))
  const lastNewline = bytes.lastIndexOf(NEWLINE)
  if (lastNewline >= 0) {
    const whole = bytes.subarray(0, lastNewline + 1)
    return { lines: splitLines(whole, start), start, nextOffset: start + whole.length, isTail }
  }
  // There is no newline: the line is still being written, or is longer than a whole read and skipped.
  const isTooLong = bytes.length === limits.chunkBytes
  const nextOffset = isTooLong ? await afterNextNewline(file, start + bytes.length, size) : undefined
  const stay = isTail ? start : from
  if (isTooLong) return { lines: [], start, nextOffset: nextOffset ?? stay, isTail }
  return { lines: [], start, nextOffset: stay, isTail, rest: bytes.toString('utf8') }
}

/** The whole lines that were appended since `offset`. Missing, unreadable or not a regular file: no lines, same offset. */
export async function readAppended(path: string, offset: number, limits: ReadLimits = LIVE_LIMITS): Promise<LineChunk> {
  let file: FileHandle
  try {
    // O_NONBLOCK: opening a FIFO without a writer would block.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    // Missing or not accessible: there is nothing to read now.
    return { lines: [], start: offset, nextOffset: offset, isTail: false }
  }
  try {
    return await readChunk(file, offset, limits)
  } catch {
    return { lines: [], start: offset, nextOffset: offset, isTail: false }
  } finally {
    await file.close()
  }
}

/** The whole lines that end at or before `end`, at most the last `maxBytes` of them. */
export async function readLinesBefore(path: string, end: number, maxBytes: number): Promise<readonly Line[]> {
  const chunk = await readAppended(path, Math.max(0, end - maxBytes), { chunkBytes: maxBytes, backlogBytes: Infinity })
  return chunk.lines.filter((line) => line.start < end)
}

/** The JSON object in a line; undefined when there is none. */
export function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = redactForeign(JSON.parse(line.replace(/^[\0\uFEFF]+/, '')), line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    // Cut by a crash, or not JSON at all: the lines around it still count.
    return undefined
  }
}

/** The records of these lines; broken lines are left out. */
export function parseLines(lines: readonly Line[]): readonly Readonly<Record<string, unknown>>[] {
  return lines.flatMap((line) => {
    const record = parseLine(line.text)
    return record === undefined ? [] : [record]
  })
}
