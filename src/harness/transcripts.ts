import type { TranscriptItem } from '../kernel/event.ts'
import type { Transcripts } from '../kernel/ports/ports.ts'
import type { JsonObject } from '../kernel/json-shape.ts'
import { LIVE_LIMITS, parseLines, type ReadLimits, readAppended, readLinesBefore } from './transcript/append-log.ts'
import { findFormat } from './transcript-formats.ts'
import type { ReaderOptions, RecordReader } from './transcript/record-reader.ts'
import { readSubagentFile } from './claude-code/subagent-file.ts'

/** A result stands close behind its call; what lies farther back is given up. */
const LOOK_BACK_BYTES = 4 * 1_048_576

/** Where a subagent is in its own file is remembered nowhere: its newest part is read each time. */
const SUBAGENT_LIMITS: ReadLimits = { chunkBytes: 524_288, backlogBytes: 524_288 }

/** Reads records in order; a finished subagent's work comes before the result that reports it. */
export async function readRecords(
  reader: RecordReader,
  records: readonly JsonObject[],
  options: ReaderOptions,
): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = []
  for (const record of records) {
    const said = reader.read(record)
    for (const id of reader.takeFinishedSubagents()) items.push(...(await readSubagentFile(options, id)))
    items.push(...said)
  }
  return items
}

function newestVersionIn(items: readonly TranscriptItem[]): string | undefined {
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  return events.findLast((event) => event.harnessVersion !== undefined)?.harnessVersion
}

/** Keeps no state between reads: an offset is all that a restarted daemon needs. */
export function createTranscripts(limits: ReadLimits = LIVE_LIMITS): Transcripts {
  return {
    async readFrom(source, offset) {
      const format = findFormat(source.harness)
      if (format?.missingCalls === undefined) return { items: [], nextOffset: offset, isTail: false }
      const { subagent } = source
      const chunk = await readAppended(source.path, offset, subagent === undefined ? limits : SUBAGENT_LIMITS)
      const records = parseLines(chunk.lines)
      const options: ReaderOptions = {
        sessionKey: source.sessionKey,
        transcriptPath: source.path,
        mode: 'live',
        ...(source.cwd === undefined ? {} : { cwd: source.cwd }),
        ...(subagent === undefined ? {} : { subagent }),
      }
      const reader = format.createReader(options)
      if (format.missingCalls(records).size > 0) {
        for (const record of parseLines(await readLinesBefore(source.path, chunk.start, LOOK_BACK_BYTES)))
          reader.prime(record)
      }
      const items = await readRecords(reader, records, options)
      items.push(...reader.end())
      const harnessVersion = newestVersionIn(items)
      const place = { nextOffset: chunk.nextOffset, isTail: chunk.isTail }
      return { items, ...place, ...(harnessVersion === undefined ? {} : { harnessVersion }) }
    },
  }
}
