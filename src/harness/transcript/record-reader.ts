import type { SubagentRef, TranscriptItem } from '../../kernel/event.ts'
import type { SessionKey } from '../../kernel/id.ts'
import type { JsonObject } from '../../kernel/json-shape.ts'

/**
 * live: beside a running session whose hooks tell most of it; only facts that both sides know by the same id become events.
 * history: nothing but the transcript is known, so everything in it counts.
 */
export type ReadingMode = 'live' | 'history'

export interface ReaderOptions {
  /** Absent: the transcript's own. */
  readonly sessionKey?: SessionKey
  readonly cwd?: string
  readonly transcriptPath?: string
  /** Set where the file is a subagent's own. */
  readonly subagent?: SubagentRef
  readonly mode: ReadingMode
}

/** What a transcript says about its session as a whole. */
export interface TranscriptFacts {
  readonly sessionKey?: SessionKey
  readonly cwd?: string
  readonly gitBranch?: string
}

/** Turns one format's records into our words, in order. Never throws, whatever a record holds. */
export interface RecordReader {
  /** Learns from records before the ones to be read which call a later result belongs to. */
  prime(record: JsonObject): void
  read(record: JsonObject): readonly TranscriptItem[]
  /** What can only be said once the last record was read. */
  end(): readonly TranscriptItem[]
  facts(): TranscriptFacts
  /** Subagents that finished in the records read since the last call, and have transcripts of their own. */
  takeFinishedSubagents(): readonly string[]
}
