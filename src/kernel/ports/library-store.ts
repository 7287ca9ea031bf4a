import type { ArchiveEntry, ArchiveSearch, EraseReport } from '../archive.ts'
import type { MemoryId, ProjectId, SessionId } from '../id.ts'
import type { DraftState, MemoryDraft } from '../memory.ts'
import type { Tombstone } from './record-store.ts'
import type { Session, SessionLabels } from '../session.ts'

/** Sessions, or a whole project. */
export interface EraseSelection {
  readonly sessionIds?: readonly SessionId[]
  readonly projectId?: ProjectId
  /** Beside those of the sessions and the project. */
  readonly memoryIds?: readonly MemoryId[]
  readonly ruleIds?: readonly string[]
  /** Stored in the same transaction, so that no erased record is stored again. */
  readonly tombstone?: Tombstone
  /** Deletes nothing; returns the counts that would be erased. */
  readonly isPreview?: boolean
}

/** Queries for lists and names that a user sees. */
export interface LibraryStore {
  /** Sessions whose key begins with this text, latest activity first. */
  findSessionsByPrefix(beginning: string, limit: number): Promise<readonly Session[]>
  /** Stores what the user added to the session; undefined for an unknown one. */
  saveLabels(id: SessionId, labels: SessionLabels): Promise<Session | undefined>
  /** Ids of checkpoints or memories that begin with this text, or whose random part does. */
  findIds(items: 'checkpoint' | 'memory', beginning: string, limit: number): Promise<readonly string[]>
  /** Memories that are not in force: proposed, rejected or forgotten. A known id gets the state given here. */
  saveDraft(draft: MemoryDraft): Promise<void>
  /** Newest first. */
  listDrafts(query: { projectId?: ProjectId; states?: readonly DraftState[] }): Promise<readonly MemoryDraft[]>
  /** True if it existed. */
  deleteDraft(id: MemoryId): Promise<boolean>
  /** Deletes forgotten and rejected ones from before this time. Returns how many. */
  pruneDrafts(before: string): Promise<number>
  /** The newest event that was added to the archive, or looked at for it. */
  archivedSeq(): Promise<number>
  /** Adds what these events say and moves on to `upTo`, in one transaction. Events before the position are left out. */
  addToArchive(entries: readonly ArchiveEntry[], upTo: number): Promise<void>
  /** The likeliest matches, at most a bounded number; rows with a wrong shape are left out. */
  searchArchive(query: ArchiveSearch): Promise<readonly ArchiveEntry[]>
  /** Deletes at most one slice of the oldest entries: those from before this time, and what exceeds the size. Returns how many. */
  pruneArchive(policy: {
    readonly before: string
    readonly maxChars: number
    readonly sliceRows: number
  }): Promise<number>
  /** Deletes every row of the selection, and the bytes of it in the database and its backups. Events stay as numbers with their hashes. */
  erase(selection: EraseSelection): Promise<EraseReport>
}
