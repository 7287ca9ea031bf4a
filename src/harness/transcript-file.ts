import { stat } from 'node:fs/promises'
import { HoldfastError, messageOf } from '../kernel/errors.ts'
import { errnoOf } from '../platform/base/errno.ts'
import type { TranscriptItem } from '../kernel/event.ts'
import { parseLine, parseLines, type ReadLimits, readAppended } from './transcript/append-log.ts'
import { readDocument } from './transcript/document.ts'
import { getFormat, type TranscriptFormat } from './transcript-formats.ts'
import type { ReaderOptions, TranscriptFacts } from './transcript/record-reader.ts'
import { readRecords } from './transcripts.ts'

export interface TranscriptFile extends TranscriptFacts {
  readonly items: readonly TranscriptItem[]
  /** Older parts were passed over because the file is too large. */
  readonly isTail: boolean
}

const LIMITS: ReadLimits = { chunkBytes: 4 * 1_048_576, backlogBytes: 256 * 1_048_576 }
/** How a session began, and a long stretch of how it went on, is what recovery is made of. */
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

async function readLines(path: string, format: TranscriptFormat): Promise<TranscriptFile> {
  const options: ReaderOptions = { mode: 'history', transcriptPath: path }
  const reader = format.createReader(options)
  const items = new BoundedItems()
  let isTail = false
  for (let offset = 0; ; ) {
    const chunk = await readAppended(path, offset, LIMITS)
    isTail ||= chunk.isTail
    const records = parseLines(chunk.lines)
    items.add(await readRecords(reader, records, options))
    if (chunk.nextOffset === offset) {
      const rest = chunk.rest === undefined ? undefined : parseLine(chunk.rest)
      if (rest !== undefined) items.add(await readRecords(reader, [rest], options))
      break
    }
    offset = chunk.nextOffset
  }
  items.add(reader.end())
  return { items: items.all(), isTail, ...reader.facts() }
}

async function readWholeDocument(path: string, format: TranscriptFormat): Promise<TranscriptFile> {
  const options: ReaderOptions = { mode: 'history', transcriptPath: path }
  const reader = format.createReader(options)
  const items = new BoundedItems()
  const records = format.recordsOf?.(await readDocument(path)) ?? []
  items.add(await readRecords(reader, records, options))
  items.add(reader.end())
  return { items: items.all(), isTail: false, ...reader.facts() }
}

/** A format may have been one document before it became lines: a first line that is a whole record tells. */
async function isDocument(path: string, format: TranscriptFormat): Promise<boolean> {
  if (format.recordsOf === undefined) return false
  const { lines, rest } = await readAppended(path, 0, { chunkBytes: 65_536, backlogBytes: Infinity })
  const first = parseLine(lines[0]?.text ?? rest ?? '')
  return first === undefined || Array.isArray(first.messages)
}

/** Everything a transcript file says, in bounded memory. Refuses a file that is missing and a format that is unknown. */
export async function readTranscriptFile(path: string, harness: string): Promise<TranscriptFile> {
  const format = getFormat(harness)
  try {
    const facts = await stat(path)
    if (!facts.isFile()) throw new Error('it is not a file')
  } catch (thrown) {
    throw new HoldfastError(
      'not-found',
      errnoOf(thrown) === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${messageOf(thrown)}.`,
      {
        hint: 'Give the path of a transcript file.',
        cause: thrown,
      },
    )
  }
  return (await isDocument(path, format)) ? readWholeDocument(path, format) : readLines(path, format)
}
