import type { CommandPurpose } from '../../kernel/checkpoint.ts'

/** One run that failed, and what was edited since the one before it. */
export interface Failure {
  readonly seq: number
  readonly exitStatus?: number
  readonly error?: string
  readonly traits: readonly string[]
  /** Number of failing tests or error lines: fewer is progress. */
  readonly size: number
  readonly edited: readonly string[]
  /** Digest of the whole command line. */
  readonly line: number
  /** The subagent that ran it; absent on the main thread. */
  readonly subagent?: string
}

/** Edits that were undone while the command was failing. */
export interface Undo {
  readonly seq: number
  /** The command that undid them, or that the file was edited back. */
  readonly how: string
  /** Edited back, not discarded with a command. */
  readonly isByHand: boolean
  readonly files: readonly string[]
}

/** A failing command, since its last success. */
export interface Attempt {
  readonly key: string
  readonly command: string
  readonly purpose: CommandPurpose
  /** Newest last; the latest few. */
  readonly failures: readonly Failure[]
  /** Failures in a row. */
  readonly inRow: number
  /** How many of the latest failed the same way. */
  readonly alike: number
  /** How many of those had no edit in between. */
  readonly unchanged: number
  /** How many of those were the same command line. */
  readonly repeated: number
  readonly undone: readonly Undo[]
}

/** A command that succeeded again because edits were undone. */
export interface UndoneAttempt {
  readonly attempt: Attempt
  readonly seq: number
}

export interface SeenError {
  readonly signature: string
  readonly text: string
  readonly exitStatus?: number
  /** Keys of the commands that printed it. */
  readonly keys: readonly string[]
  readonly command: string
  readonly purpose: CommandPurpose
  readonly seqs: readonly number[]
  readonly runs: number
  /** How often it came back after a success. */
  readonly comebacks: number
  readonly isOpen: boolean
}

export interface Edit {
  readonly path: string
  readonly seq: number
  /** Digests of the removed and written lines; empty when they are not fully known. */
  readonly lines: readonly number[]
}

/** Since the last compaction. */
export interface CompactionCycle {
  readonly calls: number
  /** Calls that did something new: an edit, a new file, a new command or another outcome, a user's message. */
  readonly novel: number
  /** Cycles in a row without anything new, up to the last compaction. */
  readonly idle: number
  /** Sequence numbers of the compactions that ended those cycles. */
  readonly seqs: readonly number[]
}

/** What a session tried and with what result. Every list is bounded. */
export interface AttemptState {
  /** The newest folded event. */
  readonly seq: number
  readonly attempts: readonly Attempt[]
  readonly edits: readonly Edit[]
  readonly undone: readonly UndoneAttempt[]
  readonly errors: readonly SeenError[]
  readonly cycle: CompactionCycle
  /** Files and commands seen before, with the last verdict of a command. */
  readonly known: ReadonlyMap<string, string>
  /** Time of a command's last success: a transcript may report an older failure later. */
  readonly passedAt: ReadonlyMap<string, string>
}

export const ATTEMPT_LIMITS = {
  attempts: 30,
  failures: 6,
  edits: 60,
  editLines: 60,
  undone: 5,
  errors: 40,
  errorKeys: 4,
  seqs: 6,
  files: 6,
  known: 600,
  passedAt: 100,
} as const

export function noAttempts(): AttemptState {
  return {
    seq: 0,
    attempts: [],
    edits: [],
    undone: [],
    errors: [],
    cycle: { calls: 0, novel: 0, idle: 0, seqs: [] },
    known: new Map(),
    passedAt: new Map(),
  }
}

/** The same failure and no smaller: a failing test or an error in common; without either, the same exit status. */
export function isNoBetter(next: Failure, before: Failure): boolean {
  if (next.traits.length === 0 && before.traits.length === 0) return next.exitStatus === before.exitStatus
  return next.size >= before.size && next.traits.some((trait) => before.traits.includes(trait))
}
