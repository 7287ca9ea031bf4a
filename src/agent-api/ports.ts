import type {
  ChecklistItem,
  ChecklistStatus,
  ChecklistView,
  EntityType,
  PiecesSession,
} from '../kernel/agent-records.ts'
import type { ChecklistEvidence } from '../kernel/checklist.ts'
import type { Config } from '../kernel/config.ts'
import type { Checkpoint, CheckpointTrigger } from '../kernel/checkpoint.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import type { Machine } from '../kernel/location.ts'
import type {
  Clock,
  Entropy,
  Files,
  Git,
  Log,
  Locator,
  Processes,
  Redactors,
  Store,
  GitHistory,
} from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import type { AgentStore } from '../kernel/ports/agent-store.ts'

export type AgentApiStore = AgentStore &
  Pick<
    Store,
    | 'findSession'
    | 'findSessionsByKey'
    | 'listSessions'
    | 'listCheckpoints'
    | 'listEvents'
    | 'deleteCheckpoint'
    | 'searchMemories'
    | 'searchWork'
    | 'listMemories'
    | 'listSightings'
    | 'listLocations'
  >

/** The part of the continuity app that the agent API needs. */
export interface AgentContinuity {
  /** A summary of a known session is also recorded as an event, and so becomes a checkpoint. */
  record(event: SessionEvent): Promise<unknown>
  /** Composes the last checkpoint of a session that died. */
  bringUpToDate(session: Session): Promise<void>
  /** The checkpoint of the work in `cwd` that a command without a session refers to; undefined if none is known. */
  findWork(cwd: string): Promise<Checkpoint | undefined>
  /** Composes a checkpoint now, after pending ones. */
  checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<unknown>
}

export interface AgentApiPorts {
  readonly store: AgentApiStore
  readonly continuity: AgentContinuity
  readonly clock: Clock
  readonly entropy: Entropy
  readonly files: Files
  readonly git: Pick<Git, 'state' | 'hasCommit'>
  readonly history: GitHistory
  readonly locator: Locator
  readonly processes: Processes
  readonly machine: Machine
  readonly redactors: Redactors
  readonly realPath: RealPath
  readonly userHome: string
  readonly checklists: Checklists
  readonly codemap: Codemap
  readonly longTermMemory: LongTermMemory
  readonly expectedHooks: readonly ExpectedHook[]
  readonly log: Log
  /** Hex. */
  readonly sha256: (text: string) => string
  readonly configFor: (worktree: string | undefined) => Promise<Config>
}

export interface ItemChange {
  /** An item's id, or its text. */
  readonly item: string
  readonly status: ChecklistStatus
  readonly note?: string
  readonly by?: string
  readonly verification?: { readonly command: string; readonly expect?: string }
}

export interface Checklists {
  /** Undefined when the root has no CHECKLIST.md. Never throws. */
  read(rootPath: string): Promise<ChecklistView | undefined>
  /** What was marked and verified in the project of this root. */
  evidence(rootPath: string): Promise<ChecklistEvidence>
  /** Edits the file itself; refuses an unknown item. */
  mark(rootPath: string, change: ItemChange): Promise<ChecklistItem>
}

export const PAIR_STATES = ['matched', 'no-json', 'mismatched', 'missing'] as const
/** Whether PROJECT_INDEX.md and .json belong together. */
export type PairState = (typeof PAIR_STATES)[number]

export interface IndexView {
  /** The Markdown half; empty when missing. */
  readonly text: string
  readonly pair: PairState
  /** As recorded in the index, else the file's modification time. */
  readonly generatedAt?: string
  /** How the pair differs, when mismatched. */
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

export interface Codemap {
  /** Reads, never writes. Never throws. */
  indexState(rootPath: string): Promise<IndexView>
  /** Every definition in the index, most important file first; none without a readable index. Never throws. */
  symbols(rootPath: string): Promise<IndexedSymbols>
}

/** Another program's record of the work on this machine; read only. */
export interface LongTermMemory {
  /** Newest first; empty when the program is not installed. Never throws. */
  recent(terms: readonly string[], limit: number): Promise<readonly PiecesSession[]>
  /** Titles that contain the text and one of the terms. */
  search(text: string, terms: readonly string[], limit: number): Promise<readonly PiecesSession[]>
}

/** Resolves links. For a missing path, resolves its nearest existing parent and appends the remainder. */
export type RealPath = (path: string) => Promise<string>

/** A hook that a connector installs, so that its absence can be noticed. */
export interface ExpectedHook {
  readonly harness: string
  readonly hook: string
  /** Fires in every session that gets a prompt. */
  readonly isRoutine: boolean
}
