/** One session as it lies on this disk. */
export interface TranscriptSource {
  readonly harness: string
  /** The file that it is in. */
  readonly path: string
  readonly modifiedMs: number
  /** Bytes of the file as it lies there; for a session in a database, 0. */
  readonly size: number
  /** The folder that the session worked in, where its file does not say. */
  readonly cwd?: string
  /** Set where many sessions share one file. */
  readonly sessionId?: string
}

/** Places of records that are counted and not measured in bytes: between two there is room for what one of them says. */
export const RECORD_STEP = 1_000_000
