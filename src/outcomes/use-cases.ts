import type { SessionKey } from '../kernel/id.ts'
import type { InjectionKind } from '../kernel/injection.ts'
import type { StartOutcome } from '../kernel/start-outcome.ts'
import type { Ledger } from './ledger.ts'
import type { TokenUsage } from './token-usage.ts'
import type { DigestStats, ProjectStats, SectionUse } from './stats.ts'

export interface Stats {
  /** Warm and cold starts compared for each project; latest start first. */
  readonly projects: readonly ProjectStats[]
  /** Latest start first, without starts that ran no tool. */
  readonly receipts: readonly StartOutcome[]
  /** How many of the latest thousand sessions are not counted yet. */
  readonly pendingSessions: number
  /** How often agents wrote the digest that they were asked for, and what followed. */
  readonly digests: DigestStats
  /** The labels that a trainer could use, summed. Nothing is learnt from them: `isEnabled` is always false. */
  readonly scorer: {
    readonly isEnabled: boolean
    readonly sections: readonly SectionUse[]
  }
}

export interface LedgerInput {
  readonly sessionKey?: SessionKey
  readonly cwd?: string
  readonly kind?: InjectionKind
  /** Also starts that got nothing, with the rule that decided. */
  readonly includeSkipped?: boolean
  /** Only older entries than this one. */
  readonly beforeSeq?: number
  readonly limit: number
}

export interface OutcomeUseCases {
  /** What followed the starts of sessions, brought up to date first; of the project at `cwd`, else of all. */
  stats(input: { readonly cwd?: string; readonly limit: number }): Promise<Stats>
  /** What followed each start of one session, latest first. Refuses an unknown or ambiguous key. */
  sessionReceipts(key: SessionKey, harness?: string): Promise<readonly StartOutcome[]>
  /** The injected texts, their size, and which lines were used. */
  ledger(input: LedgerInput): Promise<Ledger>
  /** What the sessions of the latest days used, from their transcripts; of the project at `cwd`, else of all. */
  tokenUsage(input: { readonly cwd?: string; readonly days: number }): Promise<TokenUsage>
}
