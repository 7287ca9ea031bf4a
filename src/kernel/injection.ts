import type { SessionEvent } from './event.ts'
import type { SessionId } from './id.ts'
import type { Session } from './session.ts'

export const INJECTION_KINDS = ['recovery', 'memories', 'notice', 'compaction-advice', 'digest-request'] as const
export type InjectionKind = (typeof INJECTION_KINDS)[number]

/** Section of the lines that every start gets: the user's rules, and memories that hold for all work. */
export const AT_START = 'at-start'

/** Section of lines injected before the very command they are about: running that command is not a use of the line. */
export const BEFORE_COMMAND = 'before-command'

export interface LineReason {
  readonly line: string
  /** The section of the block; absent if there are none, and if nothing was injected. */
  readonly section?: string
  /** The checkpoint field or the memory that it came from. */
  readonly origin: string
  readonly reason: string
  readonly verdict?: Verdict
  readonly score?: number
}

/** The result of checking a statement against disk and git. */
export const VERDICTS = ['holds', 'changed', 'gone', 'cannot-tell'] as const
export type Verdict = (typeof VERDICTS)[number]

/** A ledger entry: what was injected, when, why and at what size. */
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

/** With its position in the ledger. */
export interface StoredInjection extends Injection {
  readonly seq: number
}

/** Text for a harness to inject. */
export interface InjectionText {
  readonly text: string
  readonly injection: Injection
  /** Ledger entries of other sources whose text is part of this one; each is confirmed like `injection`. */
  readonly also?: readonly Injection[]
  /** The tool call is refused; the text says why. */
  readonly isRefusal?: true
  /** Shown to the user too, if the harness supports that. */
  readonly forUser?: string
}

/** Whether an injection is still in the context: a resumed conversation has those of its earlier starts, a compaction removed them. */
export function isInContext(
  { epoch }: Pick<Injection, 'epoch'>,
  session: Session,
  { forgetsInjections }: { readonly forgetsInjections?: (harness: string) => boolean },
): boolean {
  return epoch === session.epoch || (session.source === 'resume' && forgetsInjections?.(session.harness) !== true)
}

export interface InjectionRequest {
  readonly event: SessionEvent
  /** As returned by `record` for this event; looked up if absent. */
  readonly session?: Session
  /** The harness's hard limit for this hook's output. */
  readonly maxChars: number
}

export function createInjection(
  ports: { readonly clock: { now(): string }; readonly sha256: (text: string) => string },
  session: Session,
  kind: InjectionKind,
  content: { readonly text: string; readonly sources: readonly string[]; readonly reasons: readonly LineReason[] },
): InjectionText {
  const injection: Injection = {
    sessionId: session.id,
    at: ports.clock.now(),
    kind,
    epoch: session.epoch,
    chars: content.text.length,
    textHash: ports.sha256(content.text),
    sources: content.sources,
    reasons: content.reasons,
  }
  return { text: content.text, injection }
}
