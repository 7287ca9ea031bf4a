import { HoldfastError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/json-shape.ts'
import { createClaudeCodeReader, missingCalls } from './claude-code/transcript.ts'
import { createCodexReader, missingCalls as missingCodexCalls } from './codex/transcript.ts'
import { createCopilotReader } from './copilot/transcript.ts'
import { createGeminiReader, recordsOfGemini } from './gemini-cli/transcript.ts'
import { createOpenCodeReader, recordsOfOpenCode } from './opencode/transcript.ts'
import { createWindsurfReader } from './windsurf/transcript.ts'
import type { ReaderOptions, RecordReader } from './transcript/record-reader.ts'

/** How one harness writes its transcripts. */
export interface TranscriptFormat {
  readonly harness: string
  createReader(options: ReaderOptions): RecordReader
  /** Set where the file grows line by line beside a running session: ids of calls to look for in earlier lines. */
  readonly missingCalls?: (records: readonly JsonObject[]) => ReadonlySet<string>
  /** Set where the file is, or may be, one JSON document: its records in order. */
  readonly recordsOf?: (document: JsonObject) => readonly JsonObject[]
}

export const formats: readonly TranscriptFormat[] = [
  { harness: 'claude-code', createReader: createClaudeCodeReader, missingCalls },
  { harness: 'codex', createReader: createCodexReader, missingCalls: missingCodexCalls },
  { harness: 'opencode', createReader: createOpenCodeReader, recordsOf: recordsOfOpenCode },
  {
    harness: 'gemini-cli',
    createReader: createGeminiReader,
    recordsOf: recordsOfGemini,
    // A call and its result stand in one record.
    missingCalls: () => new Set(),
  },
  { harness: 'copilot', createReader: createCopilotReader },
  // A step says what it did and how it went at once.
  { harness: 'windsurf', createReader: createWindsurfReader, missingCalls: () => new Set() },
]

export function findFormat(harness: string): TranscriptFormat | undefined {
  return formats.find((format) => format.harness === harness)
}

/** Refuses a harness whose transcripts cannot be read, naming those that can. */
export function getFormat(harness: string): TranscriptFormat {
  const format = findFormat(harness)
  if (format !== undefined) return format
  throw new HoldfastError('invalid-input', `Transcripts of ${JSON.stringify(harness.slice(0, 100))} cannot be read.`, {
    hint: `Known: ${formats.map((known) => known.harness).join(', ')}.`,
  })
}
