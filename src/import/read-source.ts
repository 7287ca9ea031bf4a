import { HoldfastError, messageOf } from '../core/errors.ts'
import type { TranscriptItem } from '../core/event.ts'
import { isObject, type JsonObject } from '../harness/json-shape.ts'
import { parseLine } from '../transcript/append-log.ts'
import { getFormat, type TranscriptFormat } from '../transcript/formats.ts'
import type { ReaderOptions, TranscriptFacts } from '../transcript/record-reader.ts'
import { readRecords } from '../transcript/transcripts.ts'
import { isPacked, lineChunks, unpacked } from './line-chunks.ts'
import { databaseRecords } from './opencode-database.ts'
import type { TranscriptSource } from './source.ts'

/** A stretch of one session in our words. */
export interface Stretch {
  readonly items: readonly TranscriptItem[]
  readonly facts: TranscriptFacts
  /** How far the source was read; larger each time, and the same in every run. */
  readonly upTo: number
}

/** Formats that are one JSON document have to be held whole. */
const MAX_DOCUMENT_BYTES = 48 * 1_048_576

interface Records {
  readonly records: readonly JsonObject[]
  readonly upTo: number
}

async function isDocument(path: string, format: TranscriptFormat): Promise<boolean> {
  if (format.recordsOf === undefined) return false
  for await (const { lines } of lineChunks(unpacked(path))) {
    const first = parseLine(lines[0] ?? '')
    return first === undefined || Array.isArray(first.messages)
  }
  return false
}

async function* documentRecords(path: string, format: TranscriptFormat): AsyncGenerator<Records> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of unpacked(path)) {
    size += chunk.length
    if (size > MAX_DOCUMENT_BYTES)
      throw new HoldfastError('too-large', `It is one document of more than ${MAX_DOCUMENT_BYTES} bytes.`)
    chunks.push(chunk)
  }
  let document: unknown
  try {
    document = JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
  } catch (thrown) {
    throw new HoldfastError('invalid-input', `It is no JSON: ${messageOf(thrown)}`, { cause: thrown })
  }
  if (!isObject(document)) throw new HoldfastError('invalid-input', 'It holds no JSON object.')
  yield { records: format.recordsOf?.(document) ?? [], upTo: size }
}

function recordsIn(lines: readonly string[]): readonly JsonObject[] {
  return lines.flatMap((line) => {
    const record = parseLine(line)
    return record === undefined ? [] : [record]
  })
}

async function* lineRecords(path: string): AsyncGenerator<Records> {
  for await (const { lines, upTo } of lineChunks(unpacked(path))) yield { records: recordsIn(lines), upTo }
}

async function* recordsOf(source: TranscriptSource, format: TranscriptFormat): AsyncGenerator<Records> {
  if (source.sessionId !== undefined) yield* databaseRecords(source.path, source.sessionId)
  else if (await isDocument(source.path, format)) yield* documentRecords(source.path, format)
  else yield* lineRecords(source.path)
}

/** Everything a session's transcript says, a bounded piece at a time. */
export async function* readSource(source: TranscriptSource): AsyncGenerator<Stretch> {
  const format = getFormat(source.harness)
  const options: ReaderOptions = {
    mode: 'history',
    ...(source.cwd === undefined ? {} : { cwd: source.cwd }),
    // What follows such a session reads on from where this ended, which it cannot in a packed file.
    ...(isPacked(source.path) || source.sessionId !== undefined ? {} : { transcriptPath: source.path }),
  }
  const reader = format.createReader(options)
  let last: Stretch | undefined
  for await (const { records, upTo } of recordsOf(source, format)) {
    if (last !== undefined) yield last
    last = { items: await readRecords(reader, records, options), facts: reader.facts(), upTo }
  }
  // What can be said only at the end goes with the last stretch, so that how far was read is a place in the file.
  if (last !== undefined) yield { ...last, items: [...last.items, ...reader.end()], facts: reader.facts() }
}
