import type { CommandPurpose } from '../../kernel/checkpoint.ts'

/** One run that failed, and what was edited since the one before it. */
export interface Failure {
  /** Of the event in the log. */
  readonly seq: number
  readonly exitStatus?: number
  readonly error?: string
  readonly traits: readonly string[]
  /** How much was wrong: less of it is progress. */
  readonly size: number
  readonly edited: readonly string[]
  /** The whole line, as a digest: a run that looks at its output in another way is not a repetition. */
  readonly line: number
  /** The subagent that ran it; absent on the main thread. */
  readonly subagent?: string
}

/** Edits that were taken back while the command was failing. */
export interface Undoing {
  readonly seq: number
  /** The command that did it, or that the file was edited back. */
  readonly how: string
  /** Edited back, not thrown away with a command. */
  readonly isByHand: boolean
  readonly files: readonly string[]
}

/** A command that fails, since it last went well. */
export interface Attempt {
  readonly key: string
  readonly command: string
  readonly purpose: CommandPurpose
  /** Newest last; the latest few. */
  readonly failures: readonly Failure[]
  /** How many failed in a row. */
  readonly inRow: number
  /** The newest of them that failed the same way. */
  readonly alike: number
  /** The newest of those with nothing edited in between. */
  readonly unchanged: number
  /** The newest of those by the very same line. */
  readonly repeated: number
  readonly undone: readonly Undoing[]
}

/** A command that went well again because edits were taken back. */
export interface Undone {
  readonly attempt: Attempt
  readonly seq: number
}

export interface SeenError {
  readonly signature: string
  readonly text: string
  readonly exitStatus?: number
  /** Keys of the commands that said it. */
  readonly keys: readonly string[]
  readonly command: string
  readonly purpose: CommandPurpose
  readonly seqs: readonly number[]
  readonly runs: number
  /** How often it was there again after the command had gone well. */
  readonly comebacks: number
  readonly isOpen: boolean
}

export interface Edit {
  readonly path: string
  readonly seq: number
  /** Digests of the lines that it removed and wrote; empty where that is not known whole. */
  readonly lines: readonly number[]
}

/** What happened since the context was last compacted. */
export interface Round {
  readonly calls: number
  /** Calls that did something new: an edit, a file not seen before, a command not run before or with another outcome, a person's word. */
  readonly novel: number
  /** Rounds in a row, up to the last compaction, in which nothing was new. */
  readonly idle: number
  /** Sequence numbers of the compactions that ended those rounds. */
  readonly seqs: readonly number[]
}

/** What a session tried and how it went, as far as it bears on trying again. Bounded in every list. */
export interface AttemptState {
  /** The newest event folded in. */
  readonly seq: number
  readonly attempts: readonly Attempt[]
  readonly edits: readonly Edit[]
  readonly undone: readonly Undone[]
  readonly errors: readonly SeenError[]
  readonly round: Round
  /** Files and commands that were seen before, with how a command went. */
  readonly known: ReadonlyMap<string, string>
  /** When a command last went well, by the clock: what a transcript tells late may be older than that. */
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
    round: { calls: 0, novel: 0, idle: 0, seqs: [] },
    known: new Map(),
    passedAt: new Map(),
  }
}

/** The same trouble and no less of it: a failing test or an error in common; without either, the same exit status. */
export function isNoBetter(next: Failure, before: Failure): boolean {
  if (next.traits.length === 0 && before.traits.length === 0) return next.exitStatus === before.exitStatus
  return next.size >= before.size && next.traits.some((trait) => before.traits.includes(trait))
}
