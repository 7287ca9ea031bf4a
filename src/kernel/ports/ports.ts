import type { MessageUsage } from '../context-meter.ts'
import type { AgentStore } from './agent-store.ts'
import type { CheckpointQuery, EventQuery, SessionQuery } from './store-queries.ts'
import type { LibraryStore } from './library-store.ts'
import type { RecordStore } from './record-store.ts'
import type { SyncStore } from './sync-store.ts'
import type { Checkpoint, CheckpointHead, CheckpointTrigger, StoredCheckpoint } from '../checkpoint.ts'
import type { ProcessRef, SessionEvent, StoredEvent, SubagentRef, TranscriptItem } from '../event.ts'
import type { KnownLocation, LocatedRepository, MachineRef, GitState, Location } from '../location.ts'
import type { CheckpointId, EventId, MemoryId, ProjectId, SessionId, SessionKey } from '../id.ts'
import type { Injection, InjectionKind, StoredInjection } from '../injection.ts'
import type { Memory, MemoryHit, MemoryScope, MemoryType, WorkItem } from '../memory.ts'
import type { Rule, RuleState } from '../rule.ts'
import type { StartOutcome } from '../start-outcome.ts'
import type { CadenceConfig, Effect, Session } from '../session.ts'

export interface AppendEntry {
  readonly event: SessionEvent
  /** Where the event happened, if its working directory could be located. */
  readonly location?: Location
  /** The machine that the session runs on; absent if unknown, as for imported events. */
  readonly machine?: MachineRef
}

export interface AppendResult {
  readonly seq: number
  /** False if the id was known: nothing was written, `effects` is empty and `seq` is the first arrival's. */
  readonly isNew: boolean
  readonly session: Session
  readonly effects: readonly Effect[]
}

export interface RetentionPolicy {
  readonly now: string
  readonly retentionDays: number
  /** Rows per call, so that no prune holds the store for long. */
  readonly sliceRows: number
}

export interface PrunePolicy extends RetentionPolicy {
  readonly maxPerSession: number
}

export interface MemorySearch {
  /** Absent: of every project. */
  readonly projectId?: ProjectId
  readonly text: string
  readonly types?: readonly MemoryType[]
  readonly scope?: MemoryScope
  /** Only memories that contain a word of the query: no neighbours, no semantic matches. */
  readonly isLiteral?: boolean
  /** Superseded ones too, after all current ones; to explain why one was not injected. */
  readonly includeSuperseded?: boolean
  /** When it is asked. With it, words of time in the text ("last week", "before the release", "latest") filter and order. */
  readonly now?: string
  /** Leaves out the session's own records. */
  readonly notSession?: SessionId
  /** Records of tasks are ranked like the others; otherwise the best of each task comes last. */
  readonly includeTasks?: boolean
  readonly limit: number
}

export interface WorkSearch {
  /** Absent: of every project. */
  readonly projectId?: ProjectId
  readonly text: string
  /** Leaves out the work of this session. */
  readonly notSession?: SessionId
  readonly limit: number
}

/** A checkpoint, a decision or a summary that matches a query. */
export interface WorkHit
  extends Pick<WorkItem, 'projectId' | 'sessionId' | 'kind' | 'id' | 'title' | 'text' | 'files' | 'at'> {
  /** Comparable within one answer only; larger is better. */
  readonly score: number
  /** Share of the query's distinct terms that its text has, 0 to 1. */
  readonly coverage: number
}

/** One hook name of one harness version, and when it was last seen; `doctor` compares it with the expected hooks. */
export interface HookSighting {
  readonly harness: string
  readonly harnessVersion: string
  /** The harness's own name for the hook. */
  readonly hook: string
  readonly count: number
  readonly lastSeenAt: string
}

/** The folded state of a session's work, so that a restart need not read everything again. */
export interface WorkSnapshot {
  readonly sessionId: SessionId
  /** The newest event folded in. */
  readonly eventSeq: number
  /** Bytes of the transcript folded in. */
  readonly transcriptOffset: number
  /** JSON of `WorkState`. Empty once pruned by `pruneLedgers`. */
  readonly state: string
}

export interface StoreCounts {
  readonly events: number
  readonly sessions: number
  readonly checkpoints: number
  readonly memories: number
}

export interface StoreFinding {
  readonly what: 'event-hash' | 'event-gap' | 'checkpoint-hash' | 'row' | 'engine'
  readonly detail: string
}

/** Facts about a session that only its transcript has. Absent ones stay unchanged. */
export type SessionObservation = Partial<Pick<Session, 'contextTokens' | 'contextWindowTokens' | 'harnessVersion'>>

/** The database. What a resolved promise wrote is durable. */
export interface Store extends AgentStore, LibraryStore, RecordStore, SyncStore, AsyncDisposable {
  /** Engine and version, for status and doctor. */
  describe(): Promise<string>

  /** Stores new events and advances their sessions, each with its session in one transaction. Known ids are no-ops. */
  append(entries: readonly AppendEntry[], cadence: CadenceConfig): Promise<readonly AppendResult[]>
  /** In sequence order. Rows with a wrong hash are left out, and reported by `verify`. */
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>
  /** Which of these ids are in the log. */
  knownEvents(ids: readonly EventId[]): Promise<readonly EventId[]>
  /** The newest sequence number ever used, even if its event has been pruned. 0 for an empty log. */
  lastSeq(): Promise<number>
  /**
   * Deletes at most one slice from the beginning of the log, in order: events older than the retention whose session is
   * over, unknown, or silent for as long; it stops at the first event that must stay. `verify` continues from where the log then
   * begins, and sequence numbers are never reused. Ids of deleted events are no longer known. Returns how many.
   */
  pruneEvents(policy: RetentionPolicy): Promise<number>

  findSession(id: SessionId): Promise<Session | undefined>
  /** The sessions with that key, of all harnesses. */
  findSessionsByKey(key: SessionKey): Promise<readonly Session[]>
  /** Latest activity first, by sequence. */
  listSessions(query: SessionQuery): Promise<readonly Session[]>
  /** Marks a session whose process is gone. A no-op if it has ended meanwhile. */
  markInterrupted(id: SessionId, at: string): Promise<void>
  /** Stores what the transcript says about the session itself; a no-op for an unknown session. */
  noteObserved(id: SessionId, observed: SessionObservation): Promise<void>

  /**
   * Stores it and resets the session's cadence in one transaction. A known id is a no-op. With `maxPerSession`, what the session
   * has above it is deleted, the oldest periodic ones first; named and task checkpoints and the newest stay.
   */
  saveCheckpoint(checkpoint: Checkpoint, maxPerSession?: number): Promise<StoredCheckpoint>
  findCheckpoint(id: CheckpointId): Promise<StoredCheckpoint | undefined>
  /** Newest first, by the store's order. Rows with a wrong hash are left out, and reported by `verify`. */
  listCheckpoints(query: CheckpointQuery): Promise<readonly StoredCheckpoint[]>
  /** As `listCheckpoints`, without the work itself; the rows are not checked. `project` is compared with the raw path only. */
  listCheckpointHeads(query: CheckpointQuery): Promise<readonly CheckpointHead[]>
  /** True if it existed. */
  deleteCheckpoint(id: CheckpointId): Promise<boolean>
  /** Deletes at most one slice by the policy, oldest periodic first; the newest of each session stays. Returns how many. */
  pruneCheckpoints(policy: PrunePolicy): Promise<number>

  /** Refused with `conflict` when `supersedes` names a memory that is already superseded. */
  saveMemory(memory: Memory): Promise<void>
  /** Removes the memory with this id, if there is one, and saves this one, as the newest. */
  replaceMemory(memory: Memory): Promise<void>
  findMemory(id: MemoryId): Promise<Memory | undefined>
  /** Newest first; current ones by default. Of a project: also those of its repository's other locations, and the user's. */
  listMemories(query: {
    projectId?: ProjectId
    /** Only those stored under this very project. */
    isHereOnly?: boolean
    types?: readonly MemoryType[]
    scope?: MemoryScope
    /** With `types`: other types too, from this importance on. */
    orImportance?: number
    /** Leaves out records of tasks. */
    withoutTasks?: boolean
    includeSuperseded?: boolean
    /** Only those that follow this one in the list. */
    afterMemory?: MemoryId
    limit: number
  }): Promise<readonly Memory[]>
  /** Full-text; best first; never a superseded one. */
  searchMemories(query: MemorySearch): Promise<readonly MemoryHit[]>
  /** Searches the newest checkpoint of each session and of each name, its decisions, and summaries; best first. Being recent does not count as a match. */
  searchWork(query: WorkSearch): Promise<readonly WorkHit[]>
  recordHits(ids: readonly MemoryId[], at: string): Promise<void>
  /** True if it existed. */
  deleteMemory(id: MemoryId): Promise<boolean>

  /** In one transaction. A known id gets the text and the state given here. Of retired rules only the newest of each project stay. */
  saveRules(rules: readonly Rule[]): Promise<void>
  /** Newest first; of all states unless some are named. */
  listRules(query: { readonly projectId: ProjectId; readonly states?: readonly RuleState[] }): Promise<readonly Rule[]>

  saveWork(snapshot: WorkSnapshot): Promise<void>
  findWork(id: SessionId): Promise<WorkSnapshot | undefined>

  /** Appends to the ledger; a `recovery` also marks its epoch as served, in the same transaction. */
  recordInjection(injection: Injection): Promise<void>
  /** Newest first. */
  listInjections(query: { sessionId?: SessionId; kind?: InjectionKind; limit: number }): Promise<readonly Injection[]>
  /** Newest first, with their position in the ledger; only those before `beforeSeq`. */
  pageInjections(query: {
    sessionId?: SessionId
    kind?: InjectionKind
    beforeSeq?: number
    limit: number
  }): Promise<readonly StoredInjection[]>
  /** In one transaction; replaces those of the same start of the same session. */
  saveStartOutcomes(outcomes: readonly StartOutcome[]): Promise<void>
  /** Latest start first. Rows with a wrong hash are left out: they are computed again. */
  listStartOutcomes(query: {
    sessionId?: SessionId
    projectId?: ProjectId
    limit: number
  }): Promise<readonly StartOutcome[]>
  /**
   * At most one slice of what belongs to the events: injections and start outcomes older than the retention are deleted, and the work of
   * sessions that are over and have no event left is emptied, except how far they were read. Returns how many.
   */
  pruneLedgers(policy: RetentionPolicy): Promise<number>

  /** Every repository seen at a location on any machine, or with a stamp, or of a project; latest seen first. */
  listLocations(query: { location?: string; stamp?: string; projectId?: ProjectId }): Promise<readonly KnownLocation[]>
  /** Replaces what was known of the same project at the same location on the same machine. */
  saveLocation(known: KnownLocation): Promise<void>
  /**
   * At most one slice of the locations that were not seen within the retention and that nothing needs: those of projects without
   * data, and those beyond the latest few of one project on one machine. Returns how many.
   */
  pruneLocations(policy: RetentionPolicy): Promise<number>
  /** This project, then the projects of other locations of the same repository. */
  listRepositoryProjects(projectId: ProjectId): Promise<readonly ProjectId[]>
  /** Whether a session, a checkpoint, a memory or anything else is stored for this project. */
  hasProjectData(projectId: ProjectId): Promise<boolean>

  /** `count` calls, 1 by default; `at` is the latest of them. */
  recordSighting(
    sighting: Pick<HookSighting, 'harness' | 'harnessVersion' | 'hook'> & { at: string; count?: number },
  ): Promise<void>
  listSightings(harness?: string): Promise<readonly HookSighting[]>

  counts(): Promise<StoreCounts>
  /** Reads every row: hashes, gaps, the engine's own check. Empty if intact. */
  verify(): Promise<readonly StoreFinding[]>
  /** A consistent copy at `path`; `unsupported` if the engine has its own tools for that. */
  backup(path: string): Promise<void>
}

export interface Clock {
  /** Wall time, UTC ISO with milliseconds. */
  now(): string
  /** Monotonic; for durations and deadlines. */
  monotonicMs(): number
}

export interface Timers {
  /** Runs once after `ms`; the returned function cancels it. Never keeps a process alive by itself. */
  after(ms: number, run: () => void): () => void
}

export interface Entropy {
  bytes(count: number): Uint8Array
}

export interface FileFacts {
  readonly size: number
  readonly modifiedAt: string
}

/** The file system, for checking evidence. Nothing here throws for a missing or unreadable file. */
export interface Files {
  /** Undefined unless it is a regular file. */
  facts(path: string): Promise<FileFacts | undefined>
  /** SHA-256 of the content; undefined when missing, unreadable or larger than `maxBytes`. */
  contentHash(path: string, maxBytes: number): Promise<string | undefined>
  /** At most `maxBytes` from the start, as text; undefined when missing or unreadable. */
  readText(path: string, maxBytes: number): Promise<string | undefined>
  isDirectory(path: string): Promise<boolean>
}

export interface Git {
  /** Undefined outside a repository or if git does not answer in time. May be a second old without `now`. */
  state(worktree: string, asOf?: 'now'): Promise<GitState | undefined>
  /** Whether the commit exists here; undefined when git cannot tell. */
  hasCommit(worktree: string, commit: string): Promise<boolean | undefined>
  /** Which of them are among the repository's own objects, not in an alternate; undefined when git cannot tell. */
  heldCommits(worktree: string, commits: readonly string[]): Promise<ReadonlySet<string> | undefined>
  /** Whether it is an ancestor of HEAD; undefined if the commit is not here, or git cannot tell. */
  isInHistory(worktree: string, commit: string): Promise<boolean | undefined>
  /** How many commits HEAD has that the commit does not; undefined if the commit is not here, or git cannot tell. */
  countCommitsSince(worktree: string, commit: string): Promise<number | undefined>
  /** Files renamed since a commit, in later commits or in the index: new paths by old paths. */
  renames(worktree: string, since: string): Promise<ReadonlyMap<string, string> | undefined>
}

export interface CommitLine {
  /** Abbreviated. */
  readonly id: string
  readonly at: string
  readonly subject: string
}

export interface GitHistory {
  /** Newest first; undefined outside a repository, without a commit, or when git does not answer in time. */
  log(worktree: string, count: number): Promise<readonly CommitLine[] | undefined>
  /** Files of the worktree, tracked or not ignored, with one of these base names; undefined when git cannot tell. */
  filesNamed(worktree: string, baseNames: readonly string[]): Promise<readonly string[] | undefined>
}

export interface Locator {
  /** Never throws: a directory that is gone is identified by its path. */
  locate(cwd: string): Promise<Location>
}

export interface RepositorySurveyor {
  /** Reads the disk; `projectId` is only a digest of the path. Never throws. */
  survey(cwd: string): Promise<LocatedRepository>
}

export interface Processes {
  /** False only if the process is known to be gone, or its start time differs. */
  isAlive(process: ProcessRef): boolean
  startedAt(pid: number): string | undefined
}

/** What this machine itself listens on. */
export interface Loopback {
  /** Whether something accepts connections; undefined if that is not known within a moment. Never throws. */
  isListening(port: number): Promise<boolean | undefined>
}

export interface TranscriptChunk {
  readonly items: readonly TranscriptItem[]
  /** Where the next read begins; never inside a line. */
  readonly nextOffset: number
  /** True if older bytes were skipped because the chunk is bounded. */
  readonly isTail: boolean
  /** The harness's version, if the lines have it. */
  readonly harnessVersion?: string
}

export interface Transcripts {
  /** Reads a bounded amount since `offset`. Missing or unreadable: no items, same offset. */
  readFrom(
    source: {
      harness: string
      path: string
      sessionKey: SessionKey
      cwd?: string
      /** Set for a subagent's own file: its newest part is read, and the items are the subagent's. */
      subagent?: SubagentRef
    },
    offset: number,
  ): Promise<TranscriptChunk>
  /** The tokens of each message in a whole file; undefined if it cannot be read or its harness reports none. */
  readUsage?(source: { harness: string; path: string }): Promise<readonly MessageUsage[] | undefined>
}

export interface Redactor {
  /** The text without secrets; the same string if there are none. */
  redact(text: string): string
  /**
   * Consecutive texts, such as the items of a list, redacted as the lines of one: finds a key that was split over them.
   * Returns as many texts as given.
   */
  redactAll(texts: readonly string[]): readonly string[]
  /** The kinds of secret in the text; empty if none. */
  findings(text: string): readonly string[]
  /** Whether it is a part of a known secret value, which by itself would not be recognised. */
  isPiece(text: string): boolean
}

export interface Redactors {
  /** A redactor that also knows the values of the env files in the worktree's root and, if given, down to `cwd`. Cached; never throws. */
  forWorktree(worktree: string | undefined, cwd?: string): Promise<Redactor>
}

export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Sent after something is durable, for the event stream. */
export interface Announcement {
  readonly seq: number
  readonly kind: 'event' | 'checkpoint' | 'session' | 'memory' | 'receipt'
  readonly sessionId?: SessionId
  readonly detail: string
  readonly trigger?: CheckpointTrigger
}
