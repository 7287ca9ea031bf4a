import type { Decision, FileAction, Todo } from './event.ts'
import type { CheckpointId, SessionId, SessionKey } from './id.ts'
import type { DirtySummary, Place } from './project.ts'

export const CHECKPOINT_TRIGGERS = [
  'periodic',
  'pre_compaction',
  'agent',
  'explicit',
  'session_end',
  'interrupted',
  'gate_transition',
  'decision',
  'file_change',
  'error_recovery',
  'context_refresh',
  'autosave',
  'emergency',
] as const
export type CheckpointTrigger = (typeof CHECKPOINT_TRIGGERS)[number]

/** observed: we saw the tool result, exit code, hash or commit. claimed: the agent said so. confirmed: claimed, then observed. */
export type Evidence = 'observed' | 'claimed' | 'confirmed'

/** Something the user asked for, in the user's words. */
export interface Ask {
  readonly text: string
  readonly at: string
  /** Position in the session's own order of things: later is larger. */
  readonly order: number
  /** How the agent's words ended just before, where the ask says little by itself. */
  readonly answers?: string
}

/** What a file's part in the work so far promises for the next session. */
export interface PathChance {
  /** That it is opened. */
  readonly opened: number
  /** That it is changed. */
  readonly edited: number
}

export interface FileWork {
  /** Worktree-relative where it lies inside the worktree, else absolute. */
  readonly path: string
  readonly action: FileAction
  /** SHA-256 of the content that the work left; absent when unreadable, outside the worktree, too large or written since. */
  readonly contentHash?: string
  readonly reads: number
  readonly edits: number
  /** When it was last changed; absent when it never was, and in checkpoints that did not keep it. */
  readonly lastEditOrder?: number
  readonly lastOrder: number
  /** Absent in checkpoints that did not keep it. */
  readonly chance?: PathChance
  /** Of the identifiers those that were last worked on, or read, in this file, the weightiest first. */
  readonly names?: readonly string[]
}

/** A file of the worktree that a search, a listing or the user named and that nobody opened. */
export interface NamedFile {
  readonly path: string
  readonly chance: PathChance
  readonly lastOrder: number
}

export const COMMAND_PURPOSES = ['test', 'build', 'lint', 'run', 'vcs', 'other'] as const
export type CommandPurpose = (typeof COMMAND_PURPOSES)[number]

export interface CommandRun {
  readonly command: string
  readonly purpose: CommandPurpose
  readonly ok: boolean
  readonly exitStatus?: number
  readonly runs: number
  readonly failures: number
  readonly lastOrder: number
}

export interface TestResult {
  /** The test's or suite's own name where the output told it, else the command. */
  readonly name: string
  readonly status: 'passing' | 'failing' | 'pending'
  readonly command: string
  readonly lastOrder: number
}

export interface DecisionRecord extends Decision {
  readonly evidence: Evidence
  readonly lastOrder: number
}

export interface ErrorRecord {
  /** The error's own line, bounded. */
  readonly text: string
  /** Without paths, numbers and addresses: what makes two errors the same. */
  readonly signature: string
  readonly count: number
  /** What was being run. */
  readonly command?: string
  /** What made it go away, where we saw that. */
  readonly resolution?: string
  readonly lastOrder: number
}

/** An identifier at the centre of the work, with how much it matters. */
export interface IdentifierWeight {
  readonly name: string
  readonly weight: number
}

/** What the agent said; never a fact by itself. */
export interface Statement {
  readonly text: string
  readonly lastOrder: number
}

/** Something the agent said about the state of the work, and what was seen of it. */
export interface Claim {
  readonly text: string
  readonly evidence: Evidence
  /** What was seen that says otherwise. */
  readonly contradictedBy?: string
  readonly lastOrder: number
}

/** Everything that was seen of the work, bounded; what digests and recovery are made of. */
export interface WorkSummary {
  readonly asks: readonly Ask[]
  readonly files: readonly FileWork[]
  /** Absent in checkpoints that did not track them. */
  readonly named?: readonly NamedFile[]
  readonly commands: readonly CommandRun[]
  readonly tests: readonly TestResult[]
  readonly decisions: readonly DecisionRecord[]
  readonly errors: readonly ErrorRecord[]
  readonly todos: readonly Todo[]
  /** The title of the plan being carried out, where the agent wrote or read one. */
  readonly plan?: { readonly text: string; readonly lastOrder: number }
  readonly blockers: readonly string[]
  readonly identifiers: readonly IdentifierWeight[]
  /** Issue and ticket references such as #123 or ABC-12, newest last. */
  readonly refs: readonly string[]
  readonly statements: readonly Statement[]
  readonly failedApproaches: readonly string[]
  /** Absent in checkpoints that did not track them. */
  readonly claims?: readonly Claim[]
  /** Newest order folded in; two summaries of one session compare by it. */
  readonly lastOrder: number
}

/** What is known of a session before anything happened. */
export const EMPTY_WORK: WorkSummary = {
  asks: [],
  files: [],
  named: [],
  commands: [],
  tests: [],
  decisions: [],
  errors: [],
  todos: [],
  blockers: [],
  identifiers: [],
  refs: [],
  statements: [],
  failedApproaches: [],
  claims: [],
  lastOrder: 0,
}

export interface TaskRef {
  readonly slug: string
  readonly gate?: string
  readonly step?: string
}

/** What the agent or the user wrote down for the next session: byte for byte, but for secrets and what is too long. */
export interface Written {
  readonly summary: string
  readonly nextAction?: string
  readonly waitingFor?: string
  readonly decisions: readonly Decision[]
  readonly blockers: readonly string[]
  /** Where it stands in the session's own order of things. */
  readonly order: number
}

/** An immutable record of where the work stands. */
export interface Checkpoint {
  readonly id: CheckpointId
  readonly sessionId: SessionId
  readonly sessionKey: SessionKey
  readonly harness: string
  readonly place: Place
  readonly dirty?: DirtySummary
  readonly task?: TaskRef
  readonly trigger: CheckpointTrigger
  /** Set on named checkpoints, which are kept until deleted. */
  readonly name?: string
  /** One line: what the session was about. */
  readonly summary: string
  readonly digest: string
  readonly promptCount: number
  /** Search terms of recent prompts, at most 20, newest last. */
  readonly recentQueries: readonly string[]
  /** At most 10, newest last. */
  readonly recentRemembers: readonly string[]
  readonly work: WorkSummary
  /** The newest that was written in this session; absent when nothing was. */
  readonly written?: Written
  readonly nextAction?: string
  /** `wait` when the session stopped for the user; `waitingFor` then says for what. */
  readonly waitOrContinue: 'wait' | 'continue'
  readonly waitingFor?: string
  readonly nextSteps: readonly string[]
  readonly resumeInstructions?: string
  readonly canResume: boolean
  readonly contextTokens?: number
  readonly safetyMetrics?: Readonly<Record<string, number>>
  readonly parentId?: CheckpointId
  /** Set where it came from another machine: the fingerprint of the key that signed for it. */
  readonly handedOverBy?: string
  /** The newest event it reflects. */
  readonly eventSeq: number
  readonly createdAt: string
  /**
   * Set where it was made long after the work that it tells of, as when the agent was killed: when that work ended. What became
   * of files, branch and commit in between is not part of it.
   */
  readonly workEndedAt?: string
}

/** A checkpoint as the store keeps it. */
export interface StoredCheckpoint {
  readonly checkpoint: Checkpoint
  /** The store's own order of checkpoints: larger is newer, whatever the clock said. */
  readonly seq: number
  /** SHA-256 of the canonical body; verified on every read. */
  readonly hash: string
}

/** Kept until deleted by name; everything else is pruned by age, newest per session spared. */
export function isKeptUntilDeleted(checkpoint: Pick<Checkpoint, 'name' | 'task'>): boolean {
  return checkpoint.name !== undefined || checkpoint.task !== undefined
}
