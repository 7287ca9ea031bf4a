import { stat } from 'node:fs/promises'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import type { MessageUsage } from '../kernel/context-meter.ts'
import type { TranscriptItem } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json-shape.ts'
import type { Transcripts } from '../kernel/ports/ports.ts'
import { getErrorCode } from '../platform/base/errno.ts'
import type { ReaderOptions, RecordReader, TranscriptFacts, TranscriptFormat } from './contract/transcript-format.ts'
import { findFormat, getFormat } from './registry.ts'
import {
  LIVE_LIMITS,
  parseLine,
  parseLines,
  type ReadLimits,
  readAppended,
  readDocument,
  readLinesBefore,
} from './transcript/append-log.ts'

/** One transcript that is being read. */
interface TranscriptRead {
  readonly format: TranscriptFormat
  readonly reader: RecordReader
  readonly options: ReaderOptions
}

export function startReading(format: TranscriptFormat, options: ReaderOptions): TranscriptRead {
  return { format, options, reader: format.createReader(options) }
}

/** Reads records in order; a finished subagent's work comes before the result that reports it. */
export async function readRecords(
  { format, reader, options }: TranscriptRead,
  records: readonly JsonObject[],
): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = []
  for (const record of records) {
    const own = reader.read(record)
    for (const id of reader.takeFinishedSubagents()) items.push(...((await format.readSubagent?.(options, id)) ?? []))
    items.push(...own)
  }
  return items
}

export interface TranscriptFile extends TranscriptFacts {
  readonly items: readonly TranscriptItem[]
  /** Older parts were skipped because the file is too large. */
  readonly isTail: boolean
}

const FILE_LIMITS: ReadLimits = { chunkBytes: 4 * 1_048_576, backlogBytes: 256 * 1_048_576 }
/** Recovery needs the beginning of a session and a long stretch of its end. */
const MAX_FIRST_ITEMS = 500
const MAX_LAST_ITEMS = 12_000

class BoundedItems {
  private readonly first: TranscriptItem[] = []
  private last: TranscriptItem[] = []

  add(items: readonly TranscriptItem[]): void {
    for (const item of items) {
      if (this.first.length < MAX_FIRST_ITEMS) this.first.push(item)
      else this.last.push(item)
    }
    if (this.last.length > 2 * MAX_LAST_ITEMS) this.last = this.last.slice(-MAX_LAST_ITEMS)
  }

  all(): readonly TranscriptItem[] {
    return [...this.first, ...this.last.slice(-MAX_LAST_ITEMS)]
  }
}

async function readLines(path: string, reading: TranscriptRead): Promise<TranscriptFile> {
  const items = new BoundedItems()
  let isTail = false
  for (let offset = 0; ; ) {
    const chunk = await readAppended(path, offset, FILE_LIMITS)
    isTail ||= chunk.isTail
    items.add(await readRecords(reading, parseLines(chunk.lines)))
    if (chunk.nextOffset === offset) {
      const last = chunk.rest === undefined ? undefined : parseLine(chunk.rest)
      if (last !== undefined) items.add(await readRecords(reading, [last]))
      break
    }
    offset = chunk.nextOffset
  }
  items.add(reading.reader.end())
  return { items: items.all(), isTail, ...reading.reader.facts() }
}

async function readWholeDocument(path: string, reading: TranscriptRead): Promise<TranscriptFile> {
  const items = new BoundedItems()
  items.add(await readRecords(reading, reading.format.splitDocument?.(await readDocument(path)) ?? []))
  items.add(reading.reader.end())
  return { items: items.all(), isTail: false, ...reading.reader.facts() }
}

/** A format may have been one document before it became lines: the first line then is not a whole record. */
async function isDocument(path: string, format: TranscriptFormat): Promise<boolean> {
  if (format.splitDocument === undefined) return false
  const { lines, rest } = await readAppended(path, 0, { chunkBytes: 65_536, backlogBytes: Infinity })
  const first = parseLine(lines[0]?.text ?? rest ?? '')
  return first === undefined || Array.isArray(first.messages)
}

/** Everything in a transcript file, in bounded memory. Refuses a file that is missing and a format that is unknown. */
export async function readTranscriptFile(path: string, harness: string): Promise<TranscriptFile> {
  const format = getFormat(harness)
  try {
    const stats = await stat(path)
    if (!stats.isFile()) throw new Error('it is not a file')
  } catch (thrown) {
    const isMissing = getErrorCode(thrown) === 'ENOENT'
    const message = isMissing ? `There is no file ${path}.` : `${path} cannot be read: ${getErrorMessage(thrown)}.`
    throw new HoldfastError('not-found', message, { hint: 'Give the path of a transcript file.', cause: thrown })
  }
  const reading = startReading(format, { mode: 'history', transcriptPath: path })
  return (await isDocument(path, format)) ? readWholeDocument(path, reading) : readLines(path, reading)
}

/** A result follows its call closely; calls farther back are given up. */
const LOOK_BACK_BYTES = 4 * 1_048_576

/** The position in a subagent's own file is not stored: its newest part is read each time. */
const SUBAGENT_LIMITS: ReadLimits = { chunkBytes: 524_288, backlogBytes: 524_288 }

function findNewestVersion(items: readonly TranscriptItem[]): string | undefined {
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  return events.findLast((event) => event.harnessVersion !== undefined)?.harnessVersion
}

/** Small, because hooks wait while a chunk is parsed. */
const USAGE_LIMITS: ReadLimits = { chunkBytes: 524_288, backlogBytes: 256 * 1_048_576 }
/** Every line with usage has this; most lines do not, and need not be parsed. */
const USAGE_MARK = /usage"/

async function readUsage(path: string, format: TranscriptFormat): Promise<readonly MessageUsage[]> {
  const found = new Map<string, MessageUsage>()
  for (let offset = 0; ; ) {
    const { lines, nextOffset } = await readAppended(path, offset, USAGE_LIMITS)
    for (const record of parseLines(lines.filter(({ text }) => USAGE_MARK.test(text)))) {
      const usage = format.readUsage?.(record)
      if (usage !== undefined) found.set(usage.id, usage)
    }
    if (nextOffset <= offset) return [...found.values()]
    offset = nextOffset
  }
}

/** Keeps no state between reads: an offset is all that a restarted daemon needs. */
export function createTranscripts(limits: ReadLimits = LIVE_LIMITS): Transcripts {
  return {
    async readFrom({ harness, path, sessionKey, cwd, subagent }, offset) {
      const format = findFormat(harness)
      if (format?.missingCalls === undefined) return { items: [], nextOffset: offset, isTail: false }
      const chunk = await readAppended(path, offset, subagent === undefined ? limits : SUBAGENT_LIMITS)
      const records = parseLines(chunk.lines)
      const reading = startReading(format, { sessionKey, transcriptPath: path, mode: 'live', cwd, subagent })
      if (format.missingCalls(records).size > 0) {
        for (const record of parseLines(await readLinesBefore(path, chunk.start, LOOK_BACK_BYTES)))
          reading.reader.prime(record)
      }
      const items = await readRecords(reading, records)
      items.push(...reading.reader.end())
      const harnessVersion = findNewestVersion(items)
      const { nextOffset, isTail } = chunk
      return { items, nextOffset, isTail, ...(harnessVersion === undefined ? {} : { harnessVersion }) }
    },
    async readUsage({ harness, path }) {
      const format = findFormat(harness)
      if (format?.readUsage === undefined) return undefined
      // The file may have been deleted since.
      const isThere = await stat(path).then(
        (facts) => facts.isFile(),
        () => false,
      )
      return isThere ? readUsage(path, format) : undefined
    },
  }
}
