import type { DoorStore } from './agent-store.ts'
import type { Checkpoint, CheckpointTrigger, StoredCheckpoint } from '../checkpoint.ts'
import type { EventKind, ProcessRef, SessionEvent, StoredEvent, SubagentRef, TranscriptItem } from '../event.ts'
import type { KnownLocation, Survey } from '../repository.ts'
import type { MachineRef } from '../machine.ts'
import type { CheckpointId, EventId, MemoryId, ProjectId, SessionId, SessionKey } from '../id.ts'
import type { Injection, InjectionKind } from '../injection.ts'
import type { Memory, MemoryHit, MemoryType } from '../memory.ts'
import type { GitState, Place } from '../project.ts'
import type { WorkItem } from '../work-item.ts'
import type { Receipt } from '../start-outcome.ts'
import type { CadenceConfig, Effect, Phase, Session } from '../session.ts'

export interface AppendEntry {
  readonly event: SessionEvent
  /** Where the event happened, when its working directory could be located. */
  readonly place?: Place
  /** Where the session runs that the event is of; absent where that is not known, as for what is imported. */
  readonly machine?: MachineRef
}

export interface Appended {
  readonly seq: number
  /** False when the id was known: nothing was written, `effects` is empty and `seq` is the first arrival's. */
  readonly isNew: boolean
  readonly session: Session
  readonly effects: readonly Effect[]
}

export interface EventQuery {
  /** Only events with a larger sequence number. */
  readonly afterSeq?: number
  readonly sessionId?: SessionId
  readonly kinds?: readonly EventKind[]
  readonly limit: number
}

export interface SessionQuery {
  readonly projectId?: ProjectId
  readonly worktree?: string
  readonly phases?: readonly Phase[]
  readonly limit: number
}

export interface CheckpointQuery {
  readonly projectId?: ProjectId
  /** S1's `project`: compared with the raw and the normalised path. */
  readonly project?: string
  readonly sessionId?: SessionId
  readonly sessionKey?: SessionKey
  readonly worktree?: string
  readonly branch?: string
  readonly name?: string
  /** Created at or after this time. */
  readonly since?: string
  readonly excludeSessions?: readonly SessionId[]
  readonly limit: number
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
  readonly projectId: ProjectId
  readonly text: string
  readonly types?: readonly MemoryType[]
  /** Only what has a word that was asked for: nothing said next to it, nothing of like meaning. */
  readonly isLiteral?: boolean
  /** Superseded ones too, after all that are current; for telling why one was not shown. */
  readonly includeSuperseded?: boolean
  /** Whose own are known to whoever asks. */
  readonly notSession?: SessionId
  readonly limit: number
}

export interface WorkSearch {
  readonly projectId: ProjectId
  readonly text: string
  /** Whose own work is known to whoever asks. */
  readonly notSession?: SessionId
  readonly limit: number
}

/** A checkpoint, a decision in one, or a summary, that a question is about. */
export interface WorkHit extends Pick<WorkItem, 'kind' | 'id' | 'title' | 'text' | 'files' | 'at'> {
  /** Comparable within one answer only; larger is better. */
  readonly score: number
  /** Share of the question's distinct terms that its text has, 0 to 1. */
  readonly coverage: number
}

/** One event name of one harness version, and when it was last seen: what `doctor` compares with what it expects. */
export interface Sighting {
  readonly harness: string
  readonly harnessVersion: string
  /** The harness's own name for the hook. */
  readonly hook: string
  readonly count: number
  readonly lastSeenAt: string
}

/** The folded state of a session's work, so that a restart neither forgets nor reads everything again. */
export interface WorkSnapshot {
  readonly sessionId: SessionId
  /** The newest event folded in. */
  readonly eventSeq: number
  /** Bytes of the transcript folded in. */
  readonly transcriptOffset: number
  /** JSON of the state; its shape belongs to core/work. Empty once `pruneLedgers` let go of it. */
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

/** Facts about a session that only its transcript tells. Absent ones stay as they were. */
export type SessionObservation = Partial<Pick<Session, 'contextTokens' | 'contextWindowTokens' | 'harnessVersion'>>

/** Where the core keeps things. Every promise that resolves is durable. */
export interface Store extends DoorStore, AsyncDisposable {
  /** Engine and version in words, for status and doctor. */
  describe(): Promise<string>

  /** Keeps new events and advances their sessions, each with its session in one transaction. Known ids are no-ops. */
  append(entries: readonly AppendEntry[], cadence: CadenceConfig): Promise<readonly Appended[]>
  /** In sequence order; empty when there are none. Rows whose hash does not hold are left out, and reported by `verify`. */
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>
  /** Which of these ids are in the log. */
  knownEvents(ids: readonly EventId[]): Promise<readonly EventId[]>
  /** The newest number ever given, also when its event has been pruned since. 0 for a log that never had one. */
  lastSeq(): Promise<number>
  /**
   * Deletes at most one slice from the beginning of the log, in order: events older than the retention whose session is
   * over, unknown, or silent for as long; it stops at the first that must stay. `verify` goes on from where the log then
   * begins, and numbers go on from where they were. Ids of deleted events are no longer known. Returns how many.
   */
  pruneEvents(policy: RetentionPolicy): Promise<number>

  findSession(id: SessionId): Promise<Session | undefined>
  /** Every harness's session of that key. */
  findSessionsByKey(key: SessionKey): Promise<readonly Session[]>
  /** Latest activity first, by sequence. */
  listSessions(query: SessionQuery): Promise<readonly Session[]>
  /** Marks a session whose process is gone. A session that has ended meanwhile stays ended. */
  markInterrupted(id: SessionId, at: string): Promise<void>
  /** What the transcript told about the session itself; an unknown session is left alone. */
  noteObserved(id: SessionId, observed: SessionObservation): Promise<void>

  /** Keeps it and resets the session's cadence in one transaction. A known id is a no-op. */
  keepCheckpoint(checkpoint: Checkpoint): Promise<StoredCheckpoint>
  findCheckpoint(id: CheckpointId): Promise<StoredCheckpoint | undefined>
  /** Newest first, by the store's order. Rows whose hash does not hold are left out, and reported by `verify`. */
  listCheckpoints(query: CheckpointQuery): Promise<readonly StoredCheckpoint[]>
  /** True when there was one. */
  deleteCheckpoint(id: CheckpointId): Promise<boolean>
  /** Deletes at most one slice of what the policy lets go, oldest periodic first; the newest of each session stays. Returns how many. */
  pruneCheckpoints(policy: PrunePolicy): Promise<number>

  /** Refused with `conflict` when `supersedes` names a memory that is already superseded. */
  keepMemory(memory: Memory): Promise<void>
  findMemory(id: MemoryId): Promise<Memory | undefined>
  /** Newest first; current ones unless told otherwise. */
  listMemories(query: {
    projectId?: ProjectId
    types?: readonly MemoryType[]
    includeSuperseded?: boolean
    limit: number
  }): Promise<readonly Memory[]>
  /** Full-text; best first; never a superseded one. */
  searchMemories(query: MemorySearch): Promise<readonly MemoryHit[]>
  /** Over the newest checkpoint of each session and of each name, its decisions, and summaries; best first. What is merely recent is no answer. */
  searchWork(query: WorkSearch): Promise<readonly WorkHit[]>
  recordHits(ids: readonly MemoryId[], at: string): Promise<void>
  /** True when there was one. */
  deleteMemory(id: MemoryId): Promise<boolean>

  saveWork(snapshot: WorkSnapshot): Promise<void>
  findWork(id: SessionId): Promise<WorkSnapshot | undefined>

  /** Appends to the ledger; a `recovery` also marks its epoch as served, in the same transaction. */
  recordInjection(injection: Injection): Promise<void>
  /** Newest first. */
  listInjections(query: { sessionId?: SessionId; kind?: InjectionKind; limit: number }): Promise<readonly Injection[]>
  /** In one transaction, in place of those for the same start of the same session. */
  keepReceipts(receipts: readonly Receipt[]): Promise<void>
  /** Latest start first. Rows whose hash does not hold are left out: they are made again. */
  listReceipts(query: { sessionId?: SessionId; projectId?: ProjectId; limit: number }): Promise<readonly Receipt[]>
  /**
   * At most one slice of what goes with the events: injections and receipts older than the retention are deleted, and the work of
   * sessions that are over and have no event left is emptied, so that only how far they were read stays. Returns how many.
   */
  pruneLedgers(policy: RetentionPolicy): Promise<number>

  /** Every repository that was seen at a location, on any machine, or with a stamp, or of a project; latest seen first. */
  listLocations(query: { location?: string; stamp?: string; projectId?: ProjectId }): Promise<readonly KnownLocation[]>
  /** In place of what was known of the same project at the same location of the same machine. */
  keepLocation(known: KnownLocation): Promise<void>
  /**
   * At most one slice of the locations that were not seen within the days and that nothing needs: those of projects of which nothing
   * is kept, and those beyond the latest few of one project on one machine. Returns how many.
   */
  pruneLocations(policy: RetentionPolicy): Promise<number>
  /** Whether a session, a checkpoint, a memory or anything else is kept under this project. */
  isProjectKept(projectId: ProjectId): Promise<boolean>

  /** `count` calls at once, 1 unless told; `at` is the latest of them. */
  recordSighting(
    sighting: Pick<Sighting, 'harness' | 'harnessVersion' | 'hook'> & { at: string; count?: number },
  ): Promise<void>
  listSightings(harness?: string): Promise<readonly Sighting[]>

  counts(): Promise<StoreCounts>
  /** Reads every row: hashes, gaps, the engine's own check. Empty when sound. */
  verify(): Promise<readonly StoreFinding[]>
  /** A consistent copy at `path`; `unsupported` where the engine has its own tools for that. */
  backup(path: string): Promise<void>
}

export interface Clock {
  /** Wall time, UTC ISO with milliseconds. */
  now(): string
  /** Never goes back; for durations and deadlines. */
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

/** The parts of the file system that checking evidence needs. Nothing here throws for a missing or unreadable file. */
export interface Files {
  /** Undefined when there is no regular file. */
  facts(path: string): Promise<FileFacts | undefined>
  /** SHA-256 of the content; undefined when missing, unreadable or larger than `maxBytes`. */
  contentHash(path: string, maxBytes: number): Promise<string | undefined>
  /** At most `maxBytes` from the start, as text; undefined when missing or unreadable. */
  readText(path: string, maxBytes: number): Promise<string | undefined>
  isDirectory(path: string): Promise<boolean>
}

export interface Git {
  /** Undefined outside a repository or when git does not answer in time. An answer may be a second old, unless it is wanted as of now. */
  state(worktree: string, asOf?: 'now'): Promise<GitState | undefined>
  /** Whether the commit exists here; undefined when git cannot tell. */
  hasCommit(worktree: string, commit: string): Promise<boolean | undefined>
  /** Which of them are among the repository's own objects, and not in a store that it borrows from; undefined when git cannot tell. */
  heldCommits(worktree: string, commits: readonly string[]): Promise<ReadonlySet<string> | undefined>
  /** Whether it is part of what is checked out; undefined where the commit is not here, or git cannot tell. */
  isInHistory(worktree: string, commit: string): Promise<boolean | undefined>
  /** Files that were renamed since a commit, in later ones or in the index: their new paths by the old ones. */
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
  /** Files of the worktree, tracked or not ignored, with one of these last names; undefined when git cannot tell. */
  filesNamed(worktree: string, baseNames: readonly string[]): Promise<readonly string[] | undefined>
}

export interface Places {
  /** Never throws: a directory that is gone still has an identity, by its path. */
  locate(cwd: string): Promise<Place>
}

export interface Surveys {
  /** What the disk says, whatever project that is; the place's `projectId` is a digest of the location alone. Never throws. */
  survey(cwd: string): Promise<Survey>
}

export interface Processes {
  /** False only when we know: the process is gone, or its start time differs. */
  isAlive(process: ProcessRef): boolean
  /** Start time for a pid, as `ProcessRef` wants it. */
  startedAt(pid: number): string | undefined
}

export interface TranscriptChunk {
  readonly items: readonly TranscriptItem[]
  /** Where the next read begins; never inside a line. */
  readonly nextOffset: number
  /** True when older bytes were passed over because the chunk is bounded. */
  readonly isTail: boolean
  /** The harness's version as its own lines tell it. */
  readonly harnessVersion?: string
}

export interface Transcripts {
  /** Reads what was appended since `offset`, at most a bounded amount. Missing or unreadable: no items, same offset. */
  readFrom(
    source: {
      harness: string
      path: string
      sessionKey: SessionKey
      cwd?: string
      /** Whose file it is, where it is not the session's own: then its newest part is read, and what it holds is the subagent's. */
      subagent?: SubagentRef
    },
    offset: number,
  ): Promise<TranscriptChunk>
}

export interface Redactor {
  /** The text without secrets; the very same string when there were none. */
  redact(text: string): string
  /**
   * Texts that follow each other, such as the items of a list, read as the lines of one: a key that was split over them is found.
   * As many as were given; what lay inside a secret is replaced by its mark.
   */
  redactAll(texts: readonly string[]): readonly string[]
  /** What kinds of secret the text holds; empty when none. */
  findings(text: string): readonly string[]
  /** Whether it is a piece of a value known beforehand to be secret: by itself it would not be taken for one. */
  isPiece(text: string): boolean
}

export interface Redactors {
  /** A redactor that also knows the values of the env files in the worktree's root and, given one, on the way down to `cwd`. Cached; never throws. */
  forWorktree(worktree: string | undefined, cwd?: string): Promise<Redactor>
}

export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Told after something is durable; what the event stream is made of. */
export interface Announcement {
  readonly seq: number
  readonly kind: 'event' | 'checkpoint' | 'session' | 'memory' | 'receipt'
  readonly sessionId?: SessionId
  readonly detail: string
  readonly trigger?: CheckpointTrigger
}
