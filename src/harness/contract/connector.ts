import type { SessionEvent } from '../../kernel/event.ts'
import type { EventId } from '../../kernel/id.ts'
import type { HarnessEnvironment } from './environment.ts'

/** Stamped where the payload entered: in the hook process, or in the daemon for a harness that calls HTTP. */
export interface Receipt {
  /** Used when the payload has no natural key of its own. */
  readonly id: EventId
  readonly at: string
  readonly door: SessionEvent['door']
  /** The harness process, when the hook's environment told it. */
  readonly pid?: number
  readonly pidStartedAt?: string
  readonly harnessVersion?: string
}

export interface Capabilities {
  /** Where recovery reaches the agent: the hooks whose output the harness injects. */
  readonly recovery: 'at-session-start' | 'on-request'
  /** Hooks whose output may carry memories. */
  readonly promptInjection: boolean
  /** That a compaction happened is known, from a hook or from the transcript; then the session is told its state. */
  readonly compactionEvents: boolean
  /** The harness gives its summariser what the hook before a compaction prints. Absent: it does not. */
  readonly compactionAdvice?: boolean
  /** Its agents can call our tools, once the MCP entry is connected. Absent: nobody knows. */
  readonly mcpTools?: boolean
  /** It is known at every turn how full its agent's context is, from its hooks or its transcript. Absent: never. */
  readonly contextMeasured?: boolean
  /** The harness can call HTTP by itself. */
  readonly httpHooks: boolean
  /** Characters of injected text that arrive whole. */
  readonly maxOutputChars: number
  /** The harness's history does not keep what it was given, so a resumed session has to be told again. Absent: it does. */
  readonly forgetsInjections?: boolean
}

export interface HookExpectation {
  /** The harness's own name. */
  readonly hook: string
  /** Fires in every session that gets a prompt; its absence means something is broken. */
  readonly isRoutine: boolean
}

/** Our code for one harness. Pure: it translates, and never reads the world. */
export interface Connector {
  readonly id: string
  readonly name: string
  readonly capabilities: Capabilities
  /** The variables that it gives to what it starts; in `environments.ts` too. */
  readonly environment: HarnessEnvironment
  /** How many tokens fit into the context of this model; absent, or undefined, where that is not known. */
  contextWindowTokens?(model: string | undefined): number | undefined
  /** What we install hooks for, and so expect to see. */
  readonly hooks: readonly HookExpectation[]
  /** The event a hook's payload tells; undefined for one that says nothing to us. Throws `invalid-input` for a payload that cannot be read. */
  readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined
  /**
   * Whether the harness's transcript tells something about this moment that the payload does not, and told it before the
   * hook ran: an exit status, a compaction. Then it is read before the event is kept. Absent where hooks tell everything.
   */
  isToldBetterByTranscript?(hook: string, payload: unknown): boolean
  /** Whether the harness would show its agent what this hook prints. */
  canInject(hook: string, payload: unknown): boolean
  /**
   * The bytes for the hook's stdout (or HTTP reply) that put `text` before the agent; undefined when there is no way on
   * this hook. `forUser` is shown to the person as well, where the harness has a way for that.
   */
  writeInjection(hook: string, text: string, forUser?: string): string | undefined
  /**
   * The bytes that keep the agent from going on, with the reason for its user; undefined on a hook that cannot.
   * Absent: the harness has no way for that.
   */
  writeStop?(hook: string, reason: string): string | undefined
  /** The bytes that keep the tool which this hook announces from running, and tell the agent why; absent where a harness has no way. */
  writeRefusal?(hook: string, reason: string): string | undefined
  /** What an HTTP hook of this harness must get when there is nothing to say. */
  readonly emptyReply: string
}
