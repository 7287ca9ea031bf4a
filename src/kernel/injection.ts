import type { SessionEvent } from './event.ts'
import type { SessionId } from './id.ts'
import type { Session } from './session.ts'

export const INJECTION_KINDS = ['recovery', 'memories', 'notice', 'compaction-advice'] as const
export type InjectionKind = (typeof INJECTION_KINDS)[number]

/** The section of what is told before the very command that it is about: that the command is then run says nothing of its use. */
export const BEFORE_COMMAND = 'before-command'

/** Why one line was put before the agent. */
export interface LineReason {
  readonly line: string
  /** The part of the block it stands in; absent where there are none, and for why nothing was said. */
  readonly section?: string
  /** The field of the checkpoint, or the memory, that it came from. */
  readonly origin: string
  readonly reason: string
  readonly verdict?: Verdict
  readonly score?: number
}

/** What re-checking a claim against disk and git said. */
export const VERDICTS = ['holds', 'changed', 'gone', 'cannot-tell'] as const
export type Verdict = (typeof VERDICTS)[number]

/** A line of the ledger: what was put before an agent, when, why and at what size. */
export interface Injection {
  readonly sessionId: SessionId
  readonly at: string
  readonly kind: InjectionKind
  readonly epoch: number
  readonly chars: number
  readonly textHash: string
  /** Checkpoint or memory ids that it was made from. */
  readonly sources: readonly string[]
  readonly reasons: readonly LineReason[]
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

export function createInjection(
  deps: { readonly clock: { now(): string }; readonly sha256: (text: string) => string },
  session: Session,
  kind: InjectionKind,
  content: { readonly text: string; readonly sources: readonly string[]; readonly reasons: readonly LineReason[] },
): InjectionText {
  const injection: Injection = {
    sessionId: session.id,
    at: deps.clock.now(),
    kind,
    epoch: session.epoch,
    chars: content.text.length,
    textHash: deps.sha256(content.text),
    sources: content.sources,
    reasons: content.reasons,
  }
  return { text: content.text, injection }
}
