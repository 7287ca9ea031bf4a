import type { SessionKey } from '../kernel/id.ts'
import type { Receipt } from '../kernel/start-outcome.ts'
import type { Ledger } from './ledger.ts'
import type { SectionScore } from './scorer.ts'
import type { ProjectStats } from './stats.ts'

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

/** What followed the starts of sessions. */
export interface OutcomeUseCases {
  /** What followed the starts of sessions, and what was learnt of it; brought up to date first. Of the project at `cwd`, else of all. */
  stats(input: { readonly cwd?: string; readonly limit: number }): Promise<Stats>
  /** What followed each start of one session, the latest first; refuses an unknown or ambiguous key. */
  sessionReceipts(key: SessionKey, harness?: string): Promise<readonly Receipt[]>
  /** What was put before agents, at what cost, and what became of it. */
  ledger(input: { readonly sessionKey?: SessionKey; readonly cwd?: string; readonly limit: number }): Promise<Ledger>
}
