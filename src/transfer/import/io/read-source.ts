import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { redactForeign } from '../../../redaction/redact-input.ts'
import type { TranscriptItem } from '../../../kernel/event.ts'
import { isObject } from '../../../kernel/json-shape.ts'
import { parseLine } from '../../../harness/transcript/append-log.ts'
import { getFormat } from '../../../harness/registry.ts'
import {
  type PositionedRecord,
  RECORD_STEP,
  type ReaderOptions,
  type TranscriptFacts,
  type TranscriptFormat,
  type TranscriptSource,
} from '../../../harness/contract/transcript-format.ts'
import { readRecords, startReading } from '../../../harness/transcripts.ts'
import { isPacked, lineChunks, readOpening, readUnpacked } from './line-chunks.ts'

export interface PositionedItem {
  readonly item: TranscriptItem
  /** Position in the source after this item: never smaller than before, and the same in every run, also when the source has grown. */
  readonly at: number
}

/** A part of one session, as events and notes. */
export interface TranscriptPart {
  readonly items: readonly PositionedItem[]
  readonly facts: TranscriptFacts
  readonly upTo: number
  /** Whether positions are bytes of the unpacked file. */
  readonly isInBytes: boolean
  /** Why nothing follows, where the source is truncated. */
  readonly brokenBy?: string
}

/** A format that is one JSON document must be read into memory. */
const MAX_DOCUMENT_BYTES = 48 * 1_048_576

async function isDocument(path: string, format: TranscriptFormat): Promise<boolean> {
  if (format.splitDocument === undefined) return false
  const [line = ''] = (await readOpening(path)).trimStart().split('\n', 1)
  const first = parseLine(line)
  // Spans many lines, or one that is longer than what was looked at.
  if (first === undefined) return line !== ''
  return Array.isArray(first.messages)
}

async function* documentRecords(path: string, format: TranscriptFormat): AsyncGenerator<readonly PositionedRecord[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of readUnpacked(path)) {
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
    throw new HoldfastError('invalid-input', `It is not JSON: ${getErrorMessage(thrown)}`, { cause: thrown })
  }
  if (!isObject(document)) throw new HoldfastError('invalid-input', 'It is not a JSON object.')
  yield (format.splitDocument?.(document) ?? []).map((record, index) => ({ record, end: RECORD_STEP * (index + 1) }))
}

async function* lineRecords(path: string): AsyncGenerator<readonly PositionedRecord[]> {
  for await (const { lines } of lineChunks(readUnpacked(path)))
    yield lines.flatMap(({ text, end }) => {
      const record = parseLine(text)
      return record === undefined ? [] : [{ record, end }]
    })
}

/** Gives each item of a record a position of its own between the record before and this one. */
function positionItems(items: readonly TranscriptItem[], from: number, end: number): readonly PositionedItem[] {
  return items.map((item, index) => ({
    item,
    at: index === items.length - 1 ? end : Math.min(from + index + 1, end - 1),
  }))
}

/** Everything in a session's transcript, in bounded parts. Throws where not even a first part can be read. */
export async function* readSource(source: TranscriptSource): AsyncGenerator<TranscriptPart> {
  const format = getFormat(source.harness)
  const options: ReaderOptions = {
    mode: 'history',
    ...(source.cwd === undefined ? {} : { cwd: source.cwd }),
    // A later live read continues at this position, which is impossible in a packed file.
    ...(isPacked(source.path) || source.sessionId !== undefined ? {} : { transcriptPath: source.path }),
  }
  const { path, sessionId } = source
  const isInBytes = sessionId === undefined && !(await isDocument(path, format))
  const records = isInBytes
    ? lineRecords(path)
    : sessionId === undefined
      ? documentRecords(path, format)
      : (format.database?.readRecords(path, sessionId) ?? [])
  const reading = startReading(format, options)
  const { reader } = reading
  let last: TranscriptPart | undefined
  let upTo = 0
  try {
    for await (const part of records) {
      if (last !== undefined) yield last
      const items: PositionedItem[] = []
      for (const { record, end } of part) {
        items.push(...positionItems(await readRecords(reading, [record]), upTo, end))
        upTo = end
      }
      last = { items, facts: reader.facts(), upTo, isInBytes }
    }
  } catch (thrown) {
    if (last === undefined) throw thrown
    // The reader's last items are left out: once repaired, the source continues.
    yield { ...last, brokenBy: getErrorMessage(thrown) }
    return
  }
  if (last === undefined) return
  // The reader's last items go with the last part, so that the position stays one of the file.
  const ending = reader.end().map((item) => ({ item, at: upTo }))
  yield { ...last, items: [...last.items, ...ending], facts: reader.facts() }
}
