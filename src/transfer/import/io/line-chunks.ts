import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { constants, createGunzip } from 'node:zlib'

export interface PositionedLine {
  readonly text: string
  /** Bytes up to and including its newline, readUnpacked: the same however much the file grows. */
  readonly end: number
}

/** Whole lines of a file, about a megabyte at a time. */
export interface LineBatch {
  readonly lines: readonly PositionedLine[]
}

const CHUNK_BYTES = 1_048_576
/** Longer lines are skipped without being read into memory. */
const MAX_LINE_BYTES = 8 * 1_048_576
const NEWLINE = 10

export function isPacked(path: string): boolean {
  return path.endsWith('.gz')
}

/** Whether the trailer of a `.gz` names this unpacked size. A truncated file may have any trailer; one of several members has another size. */
export function isUnpackedSize(path: string, bytes: number): boolean {
  const file = openSync(path, 'r')
  try {
    const end = Buffer.alloc(4)
    readSync(file, end, { position: Math.max(0, fstatSync(file).size - end.length) })
    return end.readUInt32LE() === bytes % 2 ** 32
  } finally {
    closeSync(file)
  }
}

async function* readBytes(path: string, finishFlush: number): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const stream = isPacked(path) ? file.pipe(createGunzip({ chunkSize: CHUNK_BYTES, finishFlush })) : file
  // An error of the file would not end the pipe by itself.
  file.on('error', (error) => stream.destroy(error))
  try {
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk
  } finally {
    stream.destroy()
    file.destroy()
  }
}

/** The bytes of a file, unpacked if it is a `.gz`. Throws where the file cannot be read, has another format, or is truncated. */
export async function* readUnpacked(path: string): AsyncGenerator<Buffer> {
  let bytes = 0
  // With Z_FINISH it would drop the last bytes of a truncated file.
  for await (const chunk of readBytes(path, constants.Z_SYNC_FLUSH)) {
    bytes += chunk.length
    yield chunk
  }
  if (!isPacked(path) || isUnpackedSize(path, bytes)) return
  let strict = 0
  for await (const chunk of readBytes(path, constants.Z_FINISH)) strict += chunk.length
  if (strict !== bytes) throw new Error('It is truncated.')
}

/** The beginning of a file, at most a megabyte. */
export async function readOpening(path: string): Promise<string> {
  for await (const chunk of readUnpacked(path)) return chunk.toString('utf8')
  return ''
}

/** Never holds more than one line and one read. The end of the file ends its last line. */
export async function* lineChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<LineBatch> {
  let held: Buffer[] = []
  let heldBytes = 0
  let readBytes = 0
  const take = (part: Buffer): string | undefined => {
    const isTooLong = heldBytes + part.length > MAX_LINE_BYTES
    const text = isTooLong ? undefined : Buffer.concat([...held, part]).toString('utf8')
    held = []
    heldBytes = 0
    return text === undefined || text.trim() === '' ? undefined : text
  }
  for await (const chunk of bytes) {
    const lines: PositionedLine[] = []
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = take(chunk.subarray(from, end))
      if (line !== undefined) lines.push({ text: line, end: readBytes + end + 1 })
      from = end + 1
    }
    const rest = chunk.subarray(from)
    readBytes += chunk.length
    heldBytes += rest.length
    if (heldBytes > MAX_LINE_BYTES) held = []
    else held.push(Buffer.from(rest))
    if (lines.length > 0) yield { lines }
  }
  const line = take(Buffer.alloc(0))
  if (line !== undefined) yield { lines: [{ text: line, end: readBytes }] }
}
