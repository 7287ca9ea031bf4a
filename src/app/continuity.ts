import type { CheckpointTrigger, StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { SessionEvent, StoredEvent } from '../kernel/event.ts'
import type { ReceivedHandoff } from '../transfer/handoff/receive-handoff.ts'
import type { HistoryAnswer, HistoryBatch } from '../transfer/import/import-history.ts'
import type { CheckpointId, MemoryId, SessionId, SessionKey } from '../kernel/id.ts'
import type { Injection, LineReason } from '../kernel/injection.ts'
import type { Memory, MemoryHit, MemoryType } from '../kernel/memory.ts'
import type { CheckpointQuery, EventQuery, Sighting, StoreCounts } from '../kernel/ports.ts'
import type { Place } from '../kernel/project.ts'
import type { Ledger } from '../outcomes/ledger.ts'
import type { Receipt } from '../kernel/start-outcome.ts'
import type { SectionScore } from '../outcomes/scorer.ts'
import type { ProjectStats } from '../outcomes/stats.ts'
import type { PromptOutcome } from '../memory/prompt/prompt-threshold.ts'
import type { Phase, Session } from '../kernel/session.ts'

export interface Recorded {
  readonly seq: number
  /** False when the event was known already. */
  readonly isNew: boolean
  readonly session: Session
}

/** Text for a harness to put before its agent. */
export interface InjectionText {
  readonly text: string
  readonly injection: Injection
  /** The tool that is about to run must not; the text says why. */
  readonly isRefusal?: true
  /** What the user is to see as well, where the harness has a way for that. */
  readonly forUser?: string
}

export interface InjectionRequest {
  readonly event: SessionEvent
  /** As `record` gave it for this event; looked up when absent. */
  readonly session?: Session
  /** The host's hard cap for this hook's output. */
  readonly maxChars: number
}

export interface RecoveryBlock {
  /** Empty when nothing is known. */
  readonly text: string
  readonly sources: readonly CheckpointId[]
  readonly reasons: readonly LineReason[]
  /** Checkpoints of sibling worktrees, offered by name and never injected. */
  /** Of a rest: how many pieces did not fit into it either. */
  readonly leftOut?: number
  readonly offered: readonly {
    readonly worktree: string
    readonly branch?: string
    readonly checkpointId: CheckpointId
  }[]
}

export interface RememberInput {
  readonly content: string
  readonly cwd: string
  readonly type?: MemoryType
  readonly importance?: number
  readonly tags?: readonly string[]
  readonly source: string
  readonly supersedes?: MemoryId
  /** When said inside a session, it also counts towards that session's next checkpoint. */
  readonly session?: { readonly harness: string; readonly sessionKey: SessionKey }
}

export interface RecallInput {
  readonly cwd: string
  readonly text: string
  readonly types?: readonly MemoryType[]
  readonly limit: number
}

export interface SessionListInput {
  readonly cwd?: string
  readonly phases?: readonly Phase[]
  readonly limit: number
}

/** A memory that shares a word with a prompt, and what became of it. */
export interface ConsideredMemory {
  readonly id: MemoryId
  /** The beginning of it. */
  readonly content: string
  /** What it was measured at, against `memory.minCoverage`. */
  readonly share: number
  readonly outcome: PromptOutcome | 'not-shown'
  readonly reason: string
}

/** What was found for one prompt: judged by the memories and the settings of now, with what the ledger says of then. */
export interface ConsideredPrompt {
  readonly at: string
  /** The beginning of it. */
  readonly prompt: string
  /** Whether memories may be put before prompts at all. */
  readonly isOn: boolean
  /** The likelier ones first; superseded ones last. */
  readonly memories: readonly ConsideredMemory[]
}

export interface Explanation {
  readonly session: Session
  readonly injections: readonly Injection[]
  /** Of the latest prompts, newest first: what was found for them and why it was or was not shown. */
  readonly prompts: readonly ConsideredPrompt[]
}

export interface Stats {
  /** Warm starts against cold ones, for each project; latest start first. */
  readonly projects: readonly ProjectStats[]
  /** Latest start first. One after which no tool ran shows nothing and is left out. */
  readonly receipts: readonly Receipt[]
  /** Of the latest thousand, those that have not been looked at yet: they are in none of the figures. */
  readonly pendingSessions: number
  readonly scorer: {
    readonly isEnabled: boolean
    /** Of the project asked for; without one, of all together. */
    readonly sections: readonly SectionScore[]
  }
}

/**
 * The use cases. Every door (hook, CLI, MCP, HTTP, dashboard) calls these and adds no rules of its own;
 * the client over the socket implements the same interface and passes the same contract suite.
 */
export interface Continuity {
  /** Redacts, then keeps the event durably; resolves only after that. A known id is a no-op. */
  record(event: SessionEvent): Promise<Recorded>
  /** Keeps several in order; each durable before this resolves. */
  recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]>
  /** What to put before the agent because of an event that was recorded; undefined means nothing, which is usual. */
  inject(request: InjectionRequest): Promise<InjectionText | undefined>
  /** Puts an injection on the ledger once it has left for the harness. Until then it stays owed, and the next chance tries again. */
  confirmInjection(injection: Injection): Promise<void>

  /** Composes and keeps a checkpoint now. Undefined when there is nothing new to say. Refuses an unknown session. */
  checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined>
  listCheckpoints(query: CheckpointQuery): Promise<readonly StoredCheckpoint[]>
  /** Refuses an unknown id. */
  deleteCheckpoint(id: CheckpointId): Promise<void>
  /** What a session starting now in `cwd` would be told. */
  previewRecovery(input: {
    readonly cwd: string
    readonly harness?: string
    readonly sessionKey?: SessionKey
    /** Instead of the block: what it leaves out or cuts short, in at most so many characters. */
    readonly restChars?: number
    /** Whose rest; absent: of whoever speaks to a session there. Refuses one that is not known in this project. */
    readonly restOf?: SessionKey
  }): Promise<RecoveryBlock>

  listSessions(input: SessionListInput): Promise<readonly Session[]>
  /** By key; refuses an unknown or ambiguous one, naming the harnesses. */
  getSession(key: SessionKey, harness?: string): Promise<Session>
  /** What was put before a session's agent and why. Without a key: the newest session with an injection. */
  explain(input: { readonly sessionKey?: SessionKey; readonly cwd?: string }): Promise<Explanation>
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>

  /** What followed the starts of sessions, and what was learnt of it; brought up to date first. Of the project at `cwd`, else of all. */
  stats(input: { readonly cwd?: string; readonly limit: number }): Promise<Stats>
  /** What followed each start of one session, the latest first; refuses an unknown or ambiguous key. */
  sessionReceipts(key: SessionKey, harness?: string): Promise<readonly Receipt[]>
  /** What was put before agents, at what cost, and what became of it. */
  ledger(input: { readonly sessionKey?: SessionKey; readonly cwd?: string; readonly limit: number }): Promise<Ledger>

  /** Refuses text that holds a secret, naming its kind and keeping nothing. */
  remember(input: RememberInput): Promise<Memory>
  recall(input: RecallInput): Promise<readonly MemoryHit[]>
  /** The newest current ones. */
  listMemories(input: {
    readonly cwd: string
    readonly types?: readonly MemoryType[]
    readonly limit: number
  }): Promise<readonly Memory[]>
  /** Refuses an unknown id. */
  forget(id: MemoryId, cwd?: string): Promise<void>

  /** A stretch of a transcript whose session is over. A stretch that was kept before is a no-op, and so is a session that hooks told of. */
  importHistory(batch: HistoryBatch): Promise<HistoryAnswer>
  /** Keeps a checkpoint from another machine, for the next session in that worktree. The same one there again is a no-op. */
  receiveHandoff(handoff: ReceivedHandoff): Promise<StoredCheckpoint>

  locate(cwd: string): Promise<Place>
  sightings(harness?: string): Promise<readonly Sighting[]>
  counts(): Promise<StoreCounts>
}
