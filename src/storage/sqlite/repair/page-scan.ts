import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

// https://sqlite.org/fileformat2.html: enough of it to find table rows on pages that no tree references any more.
const LEAF_TABLE_PAGE = 0x0d
const DEFAULT_PAGE_BYTES = 4_096
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAX_ROW_BYTES = 64 * 1024 * 1024

export type SqlValue = string | number | bigint | Buffer | null

export interface ScannedRow {
  readonly rowId: number
  readonly values: readonly SqlValue[]
}

interface Pages {
  readonly count: number
  readonly bytes: number
  read(page: number): Buffer
}

function readAt(descriptor: number, bytes: number, position: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  readSync(descriptor, buffer, 0, bytes, position)
  return buffer
}

function readPageBytes(descriptor: number): number {
  const stored = readAt(descriptor, 18, 0).readUInt16BE(16)
  const bytes = stored === 1 ? 65_536 : stored
  const isPowerOfTwo = (bytes & (bytes - 1)) === 0
  return bytes >= 512 && isPowerOfTwo ? bytes : DEFAULT_PAGE_BYTES
}

/** The offset of the newest committed version of each page in the write-ahead log. */
function walPositions(wal: number, pageBytes: number): ReadonlyMap<number, number> {
  const size = fstatSync(wal).size
  const header = readAt(wal, WAL_HEADER_BYTES, 0)
  const committed = new Map<number, number>()
  const pending = new Map<number, number>()
  for (let at = WAL_HEADER_BYTES; at + FRAME_HEADER_BYTES + pageBytes <= size; at += FRAME_HEADER_BYTES + pageBytes) {
    const frame = readAt(wal, FRAME_HEADER_BYTES, at)
    if (!frame.subarray(8, 16).equals(header.subarray(16, 24))) break
    pending.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES)
    if (frame.readUInt32BE(4) === 0) continue
    for (const [page, position] of pending) committed.set(page, position)
    pending.clear()
  }
  return committed
}

function openPages(database: number, wal: number | undefined): Pages {
  const bytes = readPageBytes(database)
  const newer = wal === undefined ? new Map<number, number>() : walPositions(wal, bytes)
  const inFile = Math.floor(fstatSync(database).size / bytes)
  return {
    bytes,
    count: Math.max(inFile, ...newer.keys()),
    read: (page) => {
      const position = newer.get(page)
      if (position !== undefined && wal !== undefined) return readAt(wal, bytes, position)
      return readAt(database, bytes, (page - 1) * bytes)
    },
  }
}

/** A variable-length integer and the offset after it. */
function varint(buffer: Buffer, at: number): readonly [value: number, next: number] {
  let value = 0
  for (let index = 0; index < 8; index += 1) {
    const byte = buffer.readUInt8(at + index)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return [value * 256 + buffer.readUInt8(at + 8), at + 9]
}

function readPayload(pages: Pages, page: Buffer, start: number, size: number): Buffer {
  const local = pages.bytes - 35
  if (size <= local) return page.subarray(start, start + size)
  const least = Math.floor(((pages.bytes - 12) * 32) / 255) - 23
  const wanted = least + ((size - least) % (pages.bytes - 4))
  const localBytes = wanted <= local ? wanted : least
  const parts = [page.subarray(start, start + localBytes)]
  let next = page.readUInt32BE(start + localBytes)
  for (let left = size - localBytes; left > 0 && next > 0 && next <= pages.count; left -= pages.bytes - 4) {
    const overflow = pages.read(next)
    parts.push(overflow.subarray(4, 4 + Math.min(left, pages.bytes - 4)))
    next = overflow.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8] as const

function valueOf(payload: Buffer, type: number, at: number): readonly [value: SqlValue, bytes: number] {
  if (type === 0) return [null, 0]
  if (type === 8 || type === 9) return [type - 8, 0]
  if (type === 7) return [payload.readDoubleBE(at), 8]
  const integerBytes = INTEGER_BYTES[type]
  if (integerBytes === 8) return [payload.readBigInt64BE(at), 8]
  if (integerBytes !== undefined) return [payload.readIntBE(at, integerBytes), integerBytes]
  const bytes = Math.floor((type - 12) / 2)
  if (bytes < 0 || at + bytes > payload.length) throw new RangeError('A value ends beyond its row.')
  const content = payload.subarray(at, at + bytes)
  return [type % 2 === 1 ? content.toString('utf8') : content, bytes]
}

function rowAt(pages: Pages, page: Buffer, cell: number): ScannedRow {
  const [size, afterSize] = varint(page, cell)
  const [rowId, start] = varint(page, afterSize)
  if (size > MAX_ROW_BYTES) throw new RangeError('A row claims an impossible size.')
  const payload = readPayload(pages, page, start, size)
  const values: SqlValue[] = []
  const [headerBytes, first] = varint(payload, 0)
  let body = headerBytes
  for (let at = first; at < headerBytes; ) {
    const [type, next] = varint(payload, at)
    const [value, bytes] = valueOf(payload, type, body)
    values.push(value)
    body += bytes
    at = next
  }
  return { rowId, values }
}

function* rowsOn(pages: Pages, number: number): Generator<ScannedRow> {
  const page = pages.read(number)
  const header = number === 1 ? 100 : 0
  if (page.readUInt8(header) !== LEAF_TABLE_PAGE) return
  const cells = page.readUInt16BE(header + 3)
  for (let index = 0; index < cells; index += 1) {
    try {
      yield rowAt(pages, page, page.readUInt16BE(header + 8 + index * 2))
    } catch (thrown) {
      // Garbage that looked like a row reads beyond its buffer; only that one is skipped.
      if (!(thrown instanceof RangeError)) throw thrown
    }
  }
}

/**
 * Every row on every page that looks like a table leaf, of any table: for use when the tree that leads to the rows
 * is destroyed. Deleted rows are not included, because their space is overwritten (`secure_delete`).
 */
export function* scanRows(file: string): Generator<ScannedRow> {
  const database = openSync(file, 'r')
  const wal = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : undefined
  try {
    const pages = openPages(database, wal)
    for (let page = 1; page <= pages.count; page += 1) yield* rowsOn(pages, page)
  } finally {
    closeSync(database)
    if (wal !== undefined) closeSync(wal)
  }
}
