import type { SetupPorts } from '../../install/contract/setup.ts'
import type { SubagentRef, TranscriptItem } from '../../kernel/event.ts'
import type { MessageUsage } from '../../kernel/context-meter.ts'
import type { SessionKey } from '../../kernel/id.ts'
import type { JsonObject } from '../../kernel/json-shape.ts'

/**
 * live: beside a running session whose hooks report most of it; only facts that both sources know by the same id become
 * events. history: only the transcript is known, so everything in it counts.
 */
export type ReadingMode = 'live' | 'history'

export interface ReaderOptions {
  /** Absent: the transcript's own. */
  readonly sessionKey?: SessionKey
  readonly cwd?: string
  readonly transcriptPath?: string
  /** Set where the file belongs to a subagent. */
  readonly subagent?: SubagentRef
  readonly mode: ReadingMode
}

/** The facts that a transcript states about its session as a whole. */
export interface TranscriptFacts {
  readonly sessionKey?: SessionKey
  readonly cwd?: string
  readonly gitBranch?: string
}

/** Translates one format's records to events and notes, in order. Never throws, whatever a record holds. */
export interface RecordReader {
  /** Reads earlier records only for the calls that later results belong to. */
  prime(record: JsonObject): void
  read(record: JsonObject): readonly TranscriptItem[]
  /** Items that are known only after the last record. */
  end(): readonly TranscriptItem[]
  facts(): TranscriptFacts
  /** Subagents that finished in the records since the last call and have transcripts of their own. */
  takeFinishedSubagents(): readonly string[]
}

/** One session on this disk. */
export interface TranscriptSource {
  readonly harness: string
  readonly path: string
  readonly modifiedMs: number
  /** Size of the file in bytes; 0 for a session in a database. */
  readonly size: number
  /** The folder that the session worked in, where its transcript does not say. */
  readonly cwd?: string
  /** Set where many sessions share one file. */
  readonly sessionId?: string
}

/** Positions of records that are counted instead of measured in bytes, with room between two for the items of one. */
export const RECORD_STEP = 1_000_000

export interface PositionedRecord {
  readonly record: JsonObject
  /** Position behind the record: the same in every run, also when the source has grown. */
  readonly end: number
}

/** A database that holds many sessions. Opened read-only, and never for long: the harness may be running. */
export interface SessionDatabase {
  readonly fileName: string
  listSessions(path: string): Promise<readonly Pick<TranscriptSource, 'sessionId' | 'modifiedMs'>[]>
  readRecords(path: string, sessionId: string): AsyncIterable<readonly PositionedRecord[]>
}

export interface TranscriptLocation {
  readonly path: string
  readonly cwd?: string
}

/** Lists the transcript files below a folder, ordered by name; empty when there is no such folder. */
export type ListTranscripts = (folder: string) => Promise<readonly string[]>

/** How one harness stores its transcripts. */
export interface TranscriptFormat {
  createReader(options: ReaderOptions): RecordReader
  /** Set where the file grows line by line beside a running session: ids of calls to look for in earlier lines. */
  missingCalls?(records: readonly JsonObject[]): ReadonlySet<string>
  /** Set where the file is, or may be, one JSON document: its records in order. */
  splitDocument?(document: JsonObject): readonly JsonObject[]
  /** The tokens that a record reports; absent where the format reports none by message. */
  readUsage?(record: JsonObject): MessageUsage | undefined
  /** Events from the transcript that a finished subagent has of its own; absent where there are none. */
  readSubagent?(options: ReaderOptions, agentId: string): Promise<readonly TranscriptItem[]>
  /** Whether only this harness writes such a record; absent where its files are never guessed. */
  isOwnRecord?(record: JsonObject): boolean
  /** The same for the beginning of a JSON document that spans many lines. */
  isOwnDocument?(opening: string): boolean
  /** Where the harness stores its sessions on this machine; absent where they cannot be imported. */
  findHistory?(ports: SetupPorts, list: ListTranscripts): Promise<readonly TranscriptLocation[]>
  /** Set where sessions are stored in a database. */
  readonly database?: SessionDatabase
}
