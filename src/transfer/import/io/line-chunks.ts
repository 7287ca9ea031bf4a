import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { constants, createGunzip } from 'node:zlib'

export interface PlacedLine {
  readonly text: string
  /** Bytes up to and with its end, unpacked: the same however much the file grows. */
  readonly end: number
}

/** Whole lines of a file, about a megabyte of them at a time. */
export interface LineChunk {
  readonly lines: readonly PlacedLine[]
}

const CHUNK_BYTES = 1_048_576
/** A line that is longer is nothing we want; it is passed over without being held. */
const MAX_LINE_BYTES = 8 * 1_048_576
const NEWLINE = 10

export function isPacked(path: string): boolean {
  return path.endsWith('.gz')
}

/** Whether a `.gz` ends by saying that it unpacks to this many bytes. One that was cut says anything; one packed in parts, no. */
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

async function* bytesOf(path: string, finishFlush: number): AsyncGenerator<Buffer> {
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

/** The bytes of a file, unpacked where it is a `.gz`. Fails where the file cannot be read, is not what its name says, or breaks off. */
export async function* unpacked(path: string): AsyncGenerator<Buffer> {
  let bytes = 0
  // Asked to finish, it would throw away what it has of the last piece of a file that was cut.
  for await (const chunk of bytesOf(path, constants.Z_SYNC_FLUSH)) {
    bytes += chunk.length
    yield chunk
  }
  if (!isPacked(path) || isUnpackedSize(path, bytes)) return
  let strict = 0
  for await (const chunk of bytesOf(path, constants.Z_FINISH)) strict += chunk.length
  if (strict !== bytes) throw new Error('It breaks off.')
}

/** Where a file begins, for telling what it is: a megabyte at the most. */
export async function openingOf(path: string): Promise<string> {
  for await (const chunk of unpacked(path)) return chunk.toString('utf8')
  return ''
}

/** Never holds more than one line and one read. The end of a file counts as the end of its last line. */
export async function* lineChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<LineChunk> {
  let held: Buffer[] = []
  let heldBytes = 0
  let readBytes = 0
  const take = (piece: Buffer): string | undefined => {
    const isTooLong = heldBytes + piece.length > MAX_LINE_BYTES
    const text = isTooLong ? undefined : Buffer.concat([...held, piece]).toString('utf8')
    held = []
    heldBytes = 0
    return text === undefined || text.trim() === '' ? undefined : text
  }
  for await (const chunk of bytes) {
    const lines: PlacedLine[] = []
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
