import type {
  ChecklistItem,
  ChecklistStatus,
  ChecklistView,
  EntityType,
  PiecesSession,
} from '../kernel/agent-records.ts'
import type { ChecklistEvidence } from '../kernel/checklist.ts'

export interface ItemChange {
  /** An item's id, or its text. */
  readonly item: string
  readonly status: ChecklistStatus
  readonly note?: string
  /** Who says so. */
  readonly by?: string
  readonly verification?: { readonly command: string; readonly expect?: string }
}

/** The project's one checklist. */
export interface Checklists {
  /** Undefined when the root has no CHECKLIST.md. Never throws. */
  read(rootPath: string): Promise<ChecklistView | undefined>
  /** What was marked and verified in the project of this root. */
  evidence(rootPath: string): Promise<ChecklistEvidence>
  /** Edits the file itself; refuses what is not there. */
  mark(rootPath: string, change: ItemChange): Promise<ChecklistItem>
}

export const PAIR_STATES = ['matched', 'no-json', 'mismatched', 'missing'] as const
/** Whether PROJECT_INDEX.md and .json belong together. */
export type PairState = (typeof PAIR_STATES)[number]

export interface IndexView {
  /** The Markdown half; empty when missing. */
  readonly text: string
  readonly pair: PairState
  /** As the pair itself tells it, else the file's own time. */
  readonly generatedAt?: string
  /** What does not fit together, in words, when mismatched. */
  readonly detail?: string
}

export interface IndexedSymbol {
  readonly name: string
  readonly type: EntityType
  /** Relative to the root. */
  readonly file: string
  readonly line: number
}

export interface IndexedSymbols {
  /** Absent without an index. */
  readonly generatedAt?: string
  readonly symbols: readonly IndexedSymbol[]
}

/** The consume-only map of the code. */
export interface Codemap {
  /** Reads, never writes. Never throws. */
  indexState(rootPath: string): Promise<IndexView>
  /** Every definition in the index, the most important file's first; none without an index that can be read. Never throws. */
  symbols(rootPath: string): Promise<IndexedSymbols>
}

/** Another program's record of what was done on this machine: clean fields only, read and never written. */
export interface LongTermMemory {
  /** Newest first; empty when there is no such program. Never throws. */
  recent(terms: readonly string[], limit: number): Promise<readonly PiecesSession[]>
  /** Titles that hold the text and one of the terms. */
  search(text: string, terms: readonly string[], limit: number): Promise<readonly PiecesSession[]>
}

/** The real path of one that may be gone: its nearest living parent's, with the rest as spelled. */
export type RealPath = (path: string) => Promise<string>

/** A hook that a connector installs, so that its absence can be noticed. */
export interface ExpectedHook {
  readonly harness: string
  readonly hook: string
  /** Fires in every session that gets a prompt. */
  readonly isRoutine: boolean
}
