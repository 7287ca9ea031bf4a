import type { Decision, FileAction, NoteAuthor, Todo, ToolKind } from './event.ts'
import type { CheckpointId, ProjectId, SessionId, SessionKey } from './id.ts'
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
  /** The named checkpoint that it was saved with: it belongs to that one and not to the next. */
  readonly savedAs?: string
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

/**
 * What a message of the dialogue is. `turn-final`: the agent's last message of a turn. `plan`: presented by the agent.
 * `summary`: the harness's own, made at a compaction. `report`: what a subagent answered.
 */
export type DialogueKind =
  | 'request'
  | 'queued'
  | 'answer'
  | 'refusal'
  | 'message'
  | 'turn-final'
  | 'plan'
  | 'summary'
  | 'report'

/** A message of the user or the agent, verbatim except for secrets and length. */
export interface DialogueMessage {
  readonly speaker: 'user' | 'agent'
  readonly kind: DialogueKind
  readonly text: string
  /**
   * answer: the question, with the options that it offered. refusal: the command or edit that the user refused. request: what a
   * slash command or a skill stands for.
   */
  readonly about?: string
  readonly order: number
  readonly at?: string
}

/** How a check ended, as far as its output and exit status show it. `unknown`: a pipe or a chain hides the status. */
export type CheckVerdict = 'passed' | 'failed' | 'nothing-ran' | 'unknown'

/** The last run of a test, build or lint command. */
export interface CheckRun {
  readonly command: string
  readonly purpose: 'test' | 'build' | 'lint'
  readonly verdict: CheckVerdict
  /** The line of the output that states the result, verbatim. */
  readonly line?: string
  /** Tests that passed, if the output counts them. */
  readonly passed?: number
  /** Names of failing tests, as the runner prints them. */
  readonly failing?: readonly string[]
  /** Of a failed run: the places in files that the output names, and what it says of each. */
  readonly findings?: readonly { readonly place: string; readonly text: string }[]
  /** Compared with `WorkSummary.lastEditOrder`: whether the code was edited since. */
  readonly order: number
}

export interface CommitRecord {
  readonly subject: string
  readonly hash?: string
  readonly order: number
  readonly isPushed?: boolean
}

/** The pull request of the branch that the session works on. */
export interface PullRequestSeen {
  readonly number: number
  /** Of one that the session opened. */
  readonly url?: string
  /** The session has gone to another branch since. */
  readonly isLeft?: true
  readonly order: number
}

/** Something that the session started and that did not end. */
export interface InFlightWork {
  readonly kind: 'subagent' | 'shell' | 'server' | 'tool'
  /** The harness's id for it. */
  readonly id?: string
  readonly what: string
  readonly pid?: number
  readonly port?: number
  readonly order: number
}

/** A finished tool call: what it edited, read, ran or looked for. */
export interface ToolStep {
  readonly kind: ToolKind
  readonly what: string
  readonly ok: boolean
  /** The line of the output that says why it failed. */
  readonly error?: string
  readonly order: number
}

/** An edit of a file that succeeded. */
export interface EditRecord {
  readonly path: string
  readonly action: FileAction
  /** Functions, types and classes that the text of the edit defines; absent if it defines none. */
  readonly defined?: readonly string[]
  readonly order: number
}

/** A merge, rebase, cherry-pick or the like that stopped at conflicts and was not concluded. */
export interface OpenMerge {
  readonly command: string
  /** Paths as git printed them. */
  readonly conflicts: readonly string[]
  readonly order: number
}

/** The changed and the untracked paths of a `git status`. */
export interface GitStatusSeen {
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
  readonly order: number
}

/** Everything observed of the work, bounded. Digests and recoveries are made from it. */
export interface WorkSummary {
  readonly asks: readonly UserRequest[]
  readonly files: readonly FileWork[]
  readonly commands: readonly CommandRun[]
  readonly tests: readonly TestResult[]
  readonly decisions: readonly DecisionRecord[]
  readonly errors: readonly ErrorRecord[]
  readonly todos: readonly Todo[]
  /** When the list was last changed; absent in older checkpoints. */
  readonly todosOrder?: number
  /** The title of the current plan, if the agent wrote or read one. */
  readonly plan?: { readonly text: string; readonly lastOrder: number }
  readonly blockers: readonly string[]
  /** Issue and ticket references such as #123 or ABC-12, newest last. */
  readonly refs: readonly string[]
  readonly statements: readonly Statement[]
  readonly failedApproaches: readonly string[]
  /** Absent in older checkpoints. */
  readonly claims?: readonly Claim[]
  /** Oldest first, within a limit of characters; the newest and the first request stay. Absent in older checkpoints. */
  readonly dialogue?: readonly DialogueMessage[]
  /** The last run of each check, oldest first. Absent in older checkpoints. */
  readonly checks?: readonly CheckRun[]
  /** Absent in older checkpoints. */
  readonly commits?: readonly CommitRecord[]
  /** Absent if none was seen, and in older checkpoints. */
  readonly pullRequest?: PullRequestSeen
  /** Absent if no push was observed. */
  readonly lastPushOrder?: number
  /** Absent in older checkpoints. */
  readonly inFlight?: readonly InFlightWork[]
  /** Absent in older checkpoints and if nothing was edited. */
  readonly lastEditOrder?: number
  /** The newest tool calls, oldest first. Absent in older checkpoints. */
  readonly steps?: readonly ToolStep[]
  /** The newest edits that succeeded, oldest first. Absent in older checkpoints. */
  readonly edits?: readonly EditRecord[]
  /** What the session's last `git status` listed; absent if there was none, and in older checkpoints. */
  readonly gitStatus?: GitStatusSeen
  /** Absent if none is under way, and in older checkpoints. */
  readonly merge?: OpenMerge
  /** Newest order folded in; two summaries of one session compare by it. */
  readonly lastOrder: number
}

export const EMPTY_WORK: WorkSummary = {
  asks: [],
  files: [],
  commands: [],
  tests: [],
  decisions: [],
  errors: [],
  todos: [],
  blockers: [],
  refs: [],
  statements: [],
  failedApproaches: [],
  claims: [],
  dialogue: [],
  checks: [],
  commits: [],
  inFlight: [],
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
  /** Absent in older checkpoints: the agent or the user. */
  readonly author?: NoteAuthor
  /** The named checkpoint that it was written for. */
  readonly name?: string
  /** Position in the session's own order. */
  readonly order: number
}

/** The summary of a note whose author saved a checkpoint and said nothing of it, not words of a person. */
export const describeSave = (name: string) => `Saved checkpoint "${name}".`

export function hasOwnSummary({ summary, name }: Pick<AgentNote, 'summary' | 'name'>): boolean {
  return name === undefined || summary !== describeSave(name)
}

export function isEmptyNote(note: AgentNote): boolean {
  const { nextAction, waitingFor, decisions, blockers } = note
  const hasMore = nextAction !== undefined || waitingFor !== undefined || decisions.length + blockers.length > 0
  return !hasMore && !hasOwnSummary(note)
}

/** What a session waits for that stopped without a question. */
export const NEXT_MESSAGE = "the user's next message"

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

/** A checkpoint in a list: everything but the work. */
export interface CheckpointHead
  extends Pick<
    Checkpoint,
    | 'id'
    | 'sessionId'
    | 'sessionKey'
    | 'harness'
    | 'trigger'
    | 'name'
    | 'summary'
    | 'promptCount'
    | 'eventSeq'
    | 'createdAt'
  > {
  readonly seq: number
  readonly projectId: ProjectId
  readonly project: string
  readonly worktree: string
  readonly branch?: string
}

/** Whether it stays until deleted; all others are pruned by age, except the newest of each session. */
export function isPermanent(checkpoint: Pick<Checkpoint, 'name' | 'task'>): boolean {
  return checkpoint.name !== undefined || checkpoint.task !== undefined
}
