import type { Decision, FileAction, Todo } from './event.ts'
import type { CheckpointId, SessionId, SessionKey } from './id.ts'
import type { DirtySummary, Location } from './location.ts'

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

export interface UserRequest {
  readonly text: string
  readonly at: string
  /** Position in the session's own order. */
  readonly order: number
  /** The end of the agent's message before it, if the request makes little sense by itself. */
  readonly answers?: string
}

/** How likely the next session is to need a file, from 0 to 1. */
export interface PathScore {
  readonly opened: number
  readonly edited: number
}

export interface FileWork {
  /** Worktree-relative where it lies inside the worktree, else absolute. */
  readonly path: string
  readonly action: FileAction
  /** SHA-256 of the content that the session left; absent if unreadable, outside the worktree, too large or written since. */
  readonly contentHash?: string
  readonly reads: number
  readonly edits: number
  /** When it was last changed; absent if never, and in older checkpoints. */
  readonly lastEditOrder?: number
  readonly lastOrder: number
  /** Absent in older checkpoints. */
  readonly chance?: PathScore
  /** Identifiers last edited or read in this file, the highest weight first. */
  readonly names?: readonly string[]
}

/** A file of the worktree that a search, a listing or the user named and that was never opened. */
export interface NamedFile {
  readonly path: string
  readonly chance: PathScore
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
  /** The name of the test or suite if the output has it, else the command. */
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
  /** The text without paths, numbers and addresses: equal for the same error. */
  readonly signature: string
  readonly count: number
  readonly command?: string
  /** What fixed it, if observed. */
  readonly resolution?: string
  readonly lastOrder: number
}

/** An identifier and the probability that it comes up again. */
export interface IdentifierWeight {
  readonly name: string
  readonly weight: number
}

/** A message of the agent; never a fact by itself. */
export interface Statement {
  readonly text: string
  readonly lastOrder: number
}

/** A claim of the agent about the state of the work, and the evidence for it. */
export interface Claim {
  readonly text: string
  readonly evidence: Evidence
  /** The observation that refutes it. */
  readonly contradictedBy?: string
  readonly lastOrder: number
}

/** Everything observed of the work, bounded. Digests and recoveries are made from it. */
export interface WorkSummary {
  readonly asks: readonly UserRequest[]
  readonly files: readonly FileWork[]
  /** Absent in older checkpoints. */
  readonly named?: readonly NamedFile[]
  readonly commands: readonly CommandRun[]
  readonly tests: readonly TestResult[]
  readonly decisions: readonly DecisionRecord[]
  readonly errors: readonly ErrorRecord[]
  readonly todos: readonly Todo[]
  /** The title of the current plan, if the agent wrote or read one. */
  readonly plan?: { readonly text: string; readonly lastOrder: number }
  readonly blockers: readonly string[]
  readonly identifiers: readonly IdentifierWeight[]
  /** Issue and ticket references such as #123 or ABC-12, newest last. */
  readonly refs: readonly string[]
  readonly statements: readonly Statement[]
  readonly failedApproaches: readonly string[]
  /** Absent in older checkpoints. */
  readonly claims?: readonly Claim[]
  /** Newest order folded in; two summaries of one session compare by it. */
  readonly lastOrder: number
}

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

export interface CheckpointTask {
  readonly slug: string
  readonly gate?: string
  readonly step?: string
}

/** A note for the next session by the agent or the user: byte for byte, except for secrets and length. */
export interface AgentNote {
  readonly summary: string
  readonly nextAction?: string
  readonly waitingFor?: string
  readonly decisions: readonly Decision[]
  readonly blockers: readonly string[]
  /** Position in the session's own order. */
  readonly order: number
}

/** An immutable record of the state of the work. */
export interface Checkpoint {
  readonly id: CheckpointId
  readonly sessionId: SessionId
  readonly sessionKey: SessionKey
  readonly harness: string
  readonly place: Location
  readonly dirty?: DirtySummary
  readonly task?: CheckpointTask
  readonly trigger: CheckpointTrigger
  /** Set on named checkpoints, which are never pruned. */
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
  /** The newest note of this session. */
  readonly written?: AgentNote
  readonly nextAction?: string
  /** `wait` if the session stopped for the user; `waitingFor` then says for what. */
  readonly waitOrContinue: 'wait' | 'continue'
  readonly waitingFor?: string
  readonly nextSteps: readonly string[]
  readonly resumeInstructions?: string
  readonly canResume: boolean
  readonly contextTokens?: number
  readonly safetyMetrics?: Readonly<Record<string, number>>
  readonly parentId?: CheckpointId
  /** Set if it came from another machine: the fingerprint of the signing key. */
  readonly handedOverBy?: string
  /** The newest event it reflects. */
  readonly eventSeq: number
  readonly createdAt: string
  /**
   * When the work ended, if the checkpoint was made long after it, for example because the agent was killed. Later changes
   * of files, branch and commit are not part of it.
   */
  readonly workEndedAt?: string
}

export interface StoredCheckpoint {
  readonly checkpoint: Checkpoint
  /** The store's own order: larger is newer, independent of the clock. */
  readonly seq: number
  /** SHA-256 of the canonical body; verified on every read. */
  readonly hash: string
}

/** Whether it stays until deleted; all others are pruned by age, except the newest of each session. */
export function isPermanent(checkpoint: Pick<Checkpoint, 'name' | 'task'>): boolean {
  return checkpoint.name !== undefined || checkpoint.task !== undefined
}
