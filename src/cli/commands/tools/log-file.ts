import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorCode } from '../../../platform/base/errno.ts'

const TAIL_BYTES = 1_000_000
const POLL_MS = 250

interface LogChunk {
  readonly text: string
  /** The offset after the last whole line. */
  readonly endOffset: number
}

/** Whole lines from `offset` on, at most the last megabyte. A missing file counts as empty. */
async function readChunk(path: string, offset: number): Promise<LogChunk> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    // Smaller than before: the file was rotated.
    const from = size < offset ? 0 : offset
    const start = Math.max(from, size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const end = buffer.lastIndexOf(0x0a, bytesRead - 1) + 1
    return { text: buffer.toString('utf8', 0, end), endOffset: start + end }
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return { text: '', endOffset: 0 }
    throw thrown
  }
}

function splitLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

export async function lastLines(path: string, limit: number): Promise<{ lines: readonly string[]; endOffset: number }> {
  const { text, endOffset } = await readChunk(path, 0)
  return { lines: limit === 0 ? [] : splitLines(text).slice(-limit), endOffset }
}

/** Yields appended lines and never ends. */
export async function* newLines(path: string, offset: number): AsyncGenerator<string, never> {
  for (let at = offset; ; ) {
    const { text, endOffset } = await readChunk(path, at)
    yield* splitLines(text)
    at = endOffset
    await sleep(POLL_MS)
  }
}

/** What is not JSON was not written by the logger, such as the output of a crash. */
export function parseLogLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null ? { ...entry } : { message: line }
  } catch {
    return { message: line }
  }
}

/** One line of the log for a person: time, level, message, fields. */
export function showLogLine(line: string): string {
  const { at, level, message, ...fields } = parseLogLine(line)
  if (typeof at !== 'string') return line
  const shown = Object.entries(fields).map(([name, value]) => {
    return `${name}=${typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)}`
  })
  return [at.replace('T', ' ').slice(0, 19), String(level).padEnd(5), String(message), ...shown].join('  ')
}
