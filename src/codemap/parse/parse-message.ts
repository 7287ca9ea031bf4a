import type { FileFacts } from './symbol.ts'

/** Files for a worker: where they are, and the hash of the content that is known already. */
export interface ParseBatch {
  readonly files: readonly { readonly path: string; readonly file: string; readonly knownHash?: string }[]
}

export interface ParsedFile {
  readonly path: string
  /** Absent when the file could not be read. */
  readonly contentHash?: string
  /** Absent when the content is the known one. */
  readonly facts?: FileFacts
}

export interface WorkerSetup {
  readonly grammarsDir: string
}

/** Said once, when the grammars can be loaded. */
export const READY = 'ready'
