import { createReadStream } from 'node:fs'
import { createHash, type Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import * as z from 'zod'
import { HoldfastError } from '../../../kernel/errors.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'
import { sha256 } from '../../../platform/base/crypto.ts'
import { type DataRecord, RECORD_FORMAT, RECORD_FORMATS } from '../record.ts'

const HeaderSchema = z.object({ format: z.enum(RECORD_FORMATS), madeAt: z.string(), machine: z.string() })
const OtherHeaderSchema = z.object({ format: z.string().regex(/^holdfast-export\/\d+$/) })
const LineSchema = z.object({
  kind: z.string(),
  sha256: z.string(),
  value: z.unknown(),
  version: z.unknown().optional(),
})
const EndSchema = z.object({ end: z.object({ records: z.number(), sha256: z.string() }) })

/** A record without a version has the hash that format 1 gave it. */
function hashContent({ value, version }: { readonly value?: unknown; readonly version?: unknown }): string {
  return sha256(canonicalJson(version === undefined ? value : { value, version }))
}

export interface RecordFileWriter {
  add(records: readonly DataRecord[]): Promise<void>
  /** Writes the last line and syncs. Without it the file is refused as incomplete. */
  finish(): Promise<{ readonly records: number; readonly sha256: string }>
  close(): Promise<void>
}

/** Creates the file, readable by its owner only; one JSON document in each line. */
export async function createRecordFile(
  path: string,
  header: { readonly madeAt: string; readonly machine: string },
): Promise<RecordFileWriter> {
  const file = await open(path, 'w', 0o600)
  const hash: Hash = createHash('sha256')
  let count = 0
  const write = async (line: string) => {
    hash.update(line)
    await file.write(line)
  }
  await write(`${canonicalJson({ format: RECORD_FORMAT, ...header })}\n`)
  return {
    async add(records) {
      const lines = records.map((record) => `${canonicalJson({ ...record, sha256: hashContent(record) })}\n`)
      count += lines.length
      if (lines.length > 0) await write(lines.join(''))
    },
    async finish() {
      const end = { records: count, sha256: hash.digest('hex') }
      await file.write(`${canonicalJson({ end })}\n`)
      await file.sync()
      return end
    },
    close: () => file.close(),
  }
}

function refuse(path: string, line: number, what: string): never {
  throw new HoldfastError('invalid-input', `${path} is damaged in line ${line}: ${what}`, {
    hint: 'Nothing was stored. Copy or export it again.',
  })
}

/** Also for a record that is whole and that this version has no use for. */
export function refuseNewer(path: string, what: string): never {
  throw new HoldfastError('unsupported', `${path} has ${what}, which this version does not know.`, {
    hint: 'A newer Holdfast wrote it: `holdfast upgrade` says how to upgrade this one. Nothing of it was stored.',
  })
}

function refuseHeader(path: string, value: unknown): never {
  const other = OtherHeaderSchema.safeParse(value)
  if (other.success && !RECORD_FORMATS.some((format) => format === other.data.format))
    refuseNewer(path, `the format ${other.data.format}`)
  return refuse(path, 1, `it does not begin with one of ${RECORD_FORMATS.join(', ')}.`)
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON at all, which every schema refuses.
    return undefined
  }
}

/** Whether the file begins as an export does. */
export async function isRecordFile(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(200), 0, 200, 0)
    return buffer.subarray(0, bytesRead).toString().includes('"format":"holdfast-export/')
  } finally {
    await file.close()
  }
}

const NEWLINE = 10
const CHUNK_BYTES = 1_048_576
const MAX_LINE_BYTES = 64 * CHUNK_BYTES

/** Not `node:readline`: it ends a line at U+2028, which JSON may have in a text, and holds a line of any length. */
async function* readLines(path: string): AsyncGenerator<string> {
  let held: Buffer[] = []
  let heldBytes = 0
  let line = 1
  const hold = (part: Buffer) => {
    heldBytes += part.length
    if (heldBytes > MAX_LINE_BYTES) refuse(path, line, `it is longer than ${MAX_LINE_BYTES} bytes.`)
    held.push(part)
  }
  const take = () => {
    const text = Buffer.concat(held).toString('utf8')
    held = []
    heldBytes = 0
    line += 1
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    if (!Buffer.isBuffer(chunk)) continue
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, end))
      yield take()
      from = end + 1
    }
    hold(chunk.subarray(from))
  }
  if (heldBytes > 0) yield take()
}

/** Reads the whole file once; throws with the line number where it is not as it was written. Yields each record with its size. */
export async function* readRecordFile(path: string): AsyncGenerator<{
  readonly record: { readonly kind: string; readonly value: unknown; readonly version?: unknown }
  readonly chars: number
  readonly line: number
}> {
  const hash = createHash('sha256')
  let line = 0
  let count = 0
  let isEnded = false
  for await (const text of readLines(path)) {
    line += 1
    if (isEnded) refuse(path, line, 'there is data after its end.')
    const value = parseLine(text)
    if (line === 1) {
      if (!HeaderSchema.safeParse(value).success) refuseHeader(path, value)
      hash.update(`${text}\n`)
      continue
    }
    const end = EndSchema.safeParse(value)
    if (end.success) {
      isEnded = true
      const { records, sha256: expected } = end.data.end
      if (records !== count || hash.digest('hex') !== expected)
        refuse(path, line, `it has ${count} of ${records} records, or they were changed.`)
      continue
    }
    const parsed = LineSchema.safeParse(value)
    if (!parsed.success) refuse(path, line, 'it is not a record.')
    const { sha256: expected, ...content } = parsed.data
    if (hashContent(content) !== expected) refuse(path, line, 'its content does not match its hash.')
    hash.update(`${text}\n`)
    count += 1
    yield { record: content, chars: text.length, line }
  }
  if (!isEnded) refuse(path, line, 'its end is missing.')
}
