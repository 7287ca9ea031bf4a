import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { redactForeign } from '../../../redaction/redact-input.ts'
import type { TranscriptItem } from '../../../kernel/event.ts'
import { isObject, type JsonObject } from '../../../kernel/json-shape.ts'
import { parseLine } from '../../../harness/transcript/append-log.ts'
import { getFormat, type TranscriptFormat } from '../../../harness/transcript-formats.ts'
import type { ReaderOptions, TranscriptFacts } from '../../../harness/transcript/record-reader.ts'
import { readRecords } from '../../../harness/transcripts.ts'
import { isPacked, lineChunks, openingOf, unpacked } from './line-chunks.ts'
import { databaseRecords } from './opencode-database.ts'
import { RECORD_STEP, type TranscriptSource } from './source.ts'

export interface PlacedItem {
  readonly item: TranscriptItem
  /** How far the source was read once this is kept: never smaller than before, and the same in every run, also when the source has grown. */
  readonly at: number
}

/** A stretch of one session in our words. */
export interface Stretch {
  readonly items: readonly PlacedItem[]
  readonly facts: TranscriptFacts
  readonly upTo: number
  /** Whether places are bytes of the file, unpacked. */
  readonly isInBytes: boolean
  /** Why nothing follows, where the source breaks off. */
  readonly brokenBy?: string
}

/** Formats that are one JSON document have to be held whole. */
const MAX_DOCUMENT_BYTES = 48 * 1_048_576

interface PlacedRecord {
  readonly record: JsonObject
  readonly end: number
}

async function isDocument(path: string, format: TranscriptFormat): Promise<boolean> {
  if (format.recordsOf === undefined) return false
  const [line = ''] = (await openingOf(path)).trimStart().split('\n', 1)
  const first = parseLine(line)
  // Written over many lines, or on one that is longer than what was looked at.
  if (first === undefined) return line !== ''
  return Array.isArray(first.messages)
}

async function* documentRecords(path: string, format: TranscriptFormat): AsyncGenerator<readonly PlacedRecord[]> {
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
    const text = Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
    document = redactForeign(JSON.parse(text), text)
  } catch (thrown) {
    throw new HoldfastError('invalid-input', `It is no JSON: ${messageOf(thrown)}`, { cause: thrown })
  }
  if (!isObject(document)) throw new HoldfastError('invalid-input', 'It holds no JSON object.')
  yield (format.recordsOf?.(document) ?? []).map((record, index) => ({ record, end: RECORD_STEP * (index + 1) }))
}

async function* lineRecords(path: string): AsyncGenerator<readonly PlacedRecord[]> {
  for await (const { lines } of lineChunks(unpacked(path)))
    yield lines.flatMap(({ text, end }) => {
      const record = parseLine(text)
      return record === undefined ? [] : [{ record, end }]
    })
}

/** What one record says, each thing at a place of its own between the record before and this one. */
function placed(items: readonly TranscriptItem[], from: number, end: number): readonly PlacedItem[] {
  return items.map((item, index) => ({
    item,
    at: index === items.length - 1 ? end : Math.min(from + index + 1, end - 1),
  }))
}

/** Everything a session's transcript says, a bounded piece at a time. Fails where not even a first piece can be read. */
export async function* readSource(source: TranscriptSource): AsyncGenerator<Stretch> {
  const format = getFormat(source.harness)
  const options: ReaderOptions = {
    mode: 'history',
    ...(source.cwd === undefined ? {} : { cwd: source.cwd }),
    // What follows such a session reads on from where this ended, which it cannot in a packed file.
    ...(isPacked(source.path) || source.sessionId !== undefined ? {} : { transcriptPath: source.path }),
  }
  const { path, sessionId } = source
  const isInBytes = sessionId === undefined && !(await isDocument(path, format))
  const records = isInBytes
    ? lineRecords(path)
    : sessionId === undefined
      ? documentRecords(path, format)
      : databaseRecords(path, sessionId)
  const reader = format.createReader(options)
  let last: Stretch | undefined
  let upTo = 0
  try {
    for await (const stretch of records) {
      if (last !== undefined) yield last
      const items: PlacedItem[] = []
      for (const { record, end } of stretch) {
        items.push(...placed(await readRecords(reader, [record], options), upTo, end))
        upTo = end
      }
      last = { items, facts: reader.facts(), upTo, isInBytes }
    }
  } catch (thrown) {
    if (last === undefined) throw thrown
    // What can be said only at the end is not said: mended, the source goes on.
    yield { ...last, brokenBy: messageOf(thrown) }
    return
  }
  if (last === undefined) return
  // What can be said only at the end goes with the last stretch, so that how far was read is a place in the file.
  const ending = reader.end().map((item) => ({ item, at: upTo }))
  yield { ...last, items: [...last.items, ...ending], facts: reader.facts() }
}
