import type { Config } from '../config.ts'
import type { Machine } from '../machine.ts'
import type {
  Announcement,
  Clock,
  Entropy,
  Files,
  Git,
  Log,
  Places,
  Processes,
  Redactors,
  Store,
  Timers,
  Transcripts,
} from './ports.ts'

/**
 * How far the wall clock of this machine is believed. Written down durably, because a daemon that starts with a wrong clock has
 * nothing else to compare it with: the event that started it bears the same wrong time. Nothing is deleted by age until the clock
 * was seen to run on from its last jump for `neededMs`.
 */
export interface ClockTrust {
  /** The wall clock when it was last believed. Absent: never. */
  readonly trustedAtMs?: number
  /** The wall clock at the latest look, believed or not. */
  readonly seenAtMs: number
  /** For how long the daemon has watched the clock since it was last believed, across restarts. */
  readonly observedMs: number
  /** How long it has to, before the clock is believed again. */
  readonly neededMs: number
}

/** `SESSION-STATE.md` as it is now, where the session that speaks wrote it. */
export interface SessionState {
  readonly text: string
  readonly modifiedAt: string
  /** Of one before the session that speaks first, which did not touch it. */
  readonly isEarlier?: boolean
}

/** Where it is written down how far this machine's clock is believed. Of the machine and not of the store, which others may share. */
export interface ClockTrustRecord {
  /** Undefined when there is none, or it cannot be read: then nothing is known. Never throws. */
  read(): ClockTrust | undefined
  /** Durable when it returns. Throws when the disk refuses. */
  write(trust: ClockTrust): void
}

/** The world, as the use cases see it. */
export interface ContinuityDeps {
  readonly store: Store
  readonly clock: Clock
  readonly clockTrust: ClockTrustRecord
  readonly timers: Timers
  readonly entropy: Entropy
  readonly files: Files
  readonly git: Git
  readonly places: Places
  readonly processes: Processes
  readonly machine: Machine
  readonly transcripts: Transcripts
  readonly redactors: Redactors
  readonly log: Log
  /** Hex. */
  readonly sha256: (text: string) => string
  /** The user's configuration, tightened by the project's own where there is one. Never throws. */
  readonly configFor: (worktree: string | undefined) => Promise<Config>
  /** Whether a conversation of this harness no longer holds what it was told once its process ended. None does, where this is absent. */
  readonly forgetsInjections?: (harness: string) => boolean
  /** Whether agents of this harness can call our MCP tools in this worktree. None can, where this is absent. */
  readonly hasTools?: (harness: string, worktree: string) => boolean
  /** `SESSION-STATE.md` of a worktree, without secrets and never through a link; undefined where there is none. Never throws. */
  readonly sessionState?: (worktree: string) => Promise<SessionState | undefined>
}

export type Announce = (announcement: Announcement) => void
