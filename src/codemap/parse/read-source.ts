import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { MAX_FILE_BYTES } from './discover.ts'

export interface SourceText {
  readonly contentHash: string
  /** Absent for files that should not be parsed: binary, minified or generated. */
  readonly text?: string
}

const MAX_MEAN_LINE_CHARS = 400
const GENERATED_MARK = /@generated|code generated .{0,80}do not edit|automatically generated|auto-generated/i

function isForeign(bytes: Buffer, text: string): boolean {
  if (bytes.subarray(0, 8_000).includes(0)) return true
  if (GENERATED_MARK.test(text.slice(0, 500))) return true
  return text.length > 5_000 && text.length / linesIn(bytes) > MAX_MEAN_LINE_CHARS
}

function linesIn(bytes: Buffer): number {
  let lines = 1
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1
  return lines
}

/** A reader with one shared buffer: allocating one per file costs more than reading. */
export function createSourceReader(): (path: string) => SourceText | undefined {
  const buffer = Buffer.allocUnsafe(MAX_FILE_BYTES + 1)
  return (path) => readSource(path, buffer)
}

/** Undefined when the file is unreadable, not a regular file, or too large. `path` must be a real path without links. */
function readSource(path: string, buffer: Buffer): SourceText | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    // A parent folder may have become a link since the listing.
    if (!fstatSync(fd).isFile() || realpathSync(path) !== path) return undefined
    let length = 0
    for (;;) {
      const read = readSync(fd, buffer, length, buffer.length - length, null)
      length += read
      if (read === 0) break
      if (length > MAX_FILE_BYTES) return undefined
    }
    const bytes = buffer.subarray(0, length)
    const text = bytes.toString('utf8')
    const contentHash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    return isForeign(bytes, text) ? { contentHash } : { contentHash, text }
  } catch {
    // Deleted or unreadable since the listing: not part of the map.
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
