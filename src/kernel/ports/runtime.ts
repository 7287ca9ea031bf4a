import type { Config } from '../config.ts'
import type { ProjectId } from '../id.ts'
import type { Machine, StoreOwner } from '../location.ts'
import type { Rule } from '../rule.ts'
import type {
  Announcement,
  Clock,
  Entropy,
  Files,
  Git,
  Log,
  Loopback,
  Locator,
  Processes,
  Redactors,
  Store,
  Timers,
  Transcripts,
} from './ports.ts'

/**
 * How far the wall clock of this machine is trusted. Stored durably, because a daemon that starts with a wrong clock has
 * nothing else to compare it with: the event that started it has the same wrong time. Nothing is deleted by age until the clock
 * was observed to run for `neededMs` since its last jump.
 */
export interface ClockTrust {
  /** The wall clock when it was last trusted. Absent: never. */
  readonly trustedAtMs?: number
  /** The wall clock at the latest observation, trusted or not. */
  readonly seenAtMs: number
  /** How long the clock was observed since it was last trusted, across restarts. */
  readonly observedMs: number
  /** How long it must be observed before it is trusted again. */
  readonly neededMs: number
}

/** `SESSION-STATE.md` as it is now, if a session of the recovery wrote it. */
export interface SessionState {
  readonly text: string
  readonly modifiedAt: string
  /** Written by a session before the recovery's main session. */
  readonly isEarlier?: boolean
}

/** Stores `ClockTrust` for the machine and not in the store, which machines may share. */
export interface ClockTrustRecord {
  /** Undefined if there is none or it cannot be read. Never throws. */
  read(): ClockTrust | undefined
  /** Durable when it returns. Throws if the disk refuses. */
  write(trust: ClockTrust): void
}

/** The signing key of this machine, created on first use. */
export interface MachineKeys {
  loadSigner(): Promise<{
    /** Ed25519, SPKI in DER, base64. */
    readonly publicKey: string
    readonly sign: (text: string) => string
  }>
  isSignedBy(publicKey: string, text: string, signature: string): boolean
}

/** Everything that the use cases need from outside. */
export interface ContinuityPorts {
  readonly store: Store
  readonly clock: Clock
  readonly clockTrust: ClockTrustRecord
  readonly timers: Timers
  readonly entropy: Entropy
  readonly files: Files
  readonly git: Git
  readonly locator: Locator
  readonly processes: Processes
  /** Absent: ports are not checked. */
  readonly loopback?: Loopback
  readonly machine: Machine
  /** Whose home this is. */
  readonly person: StoreOwner
  /** Absent: nothing can be signed, and no signature is accepted. */
  readonly keys?: MachineKeys
  readonly transcripts: Transcripts
  readonly redactors: Redactors
  readonly log: Log
  /** Hex. */
  readonly sha256: (text: string) => string
  /** The user's configuration, tightened by the project's own where there is one. Never throws. */
  readonly configFor: (worktree: string | undefined) => Promise<Config>
  /** Whether a conversation of this harness loses its injections when its process ends. Default: no. */
  readonly forgetsInjections?: (harness: string) => boolean
  /** The words that open a session again in its harness; undefined if there is no command for it. */
  readonly resumeCommand?: (harness: string, sessionKey: string) => readonly string[] | undefined
  /** Whether agents of this harness can call our MCP tools in this worktree. Default: no. */
  readonly hasTools?: (harness: string, worktree: string) => boolean
  /** `SESSION-STATE.md` of a worktree, redacted, never through a symlink; undefined if there is none. Never throws. */
  readonly sessionState?: (worktree: string) => Promise<SessionState | undefined>
  /** The rules of the user that bind in this project, newest first. Default: none. */
  readonly activeRules?: (projectId: ProjectId) => Promise<readonly Rule[]>
}

export type Announce = (announcement: Announcement) => void
