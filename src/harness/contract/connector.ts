import type { WriterPreset } from '../../kernel/digest-writer.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { EventId } from '../../kernel/id.ts'
import type { HarnessSetup } from '../../install/contract/setup.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'
import type { TranscriptFormat } from './transcript-format.ts'

/** Stamped where the payload entered: in the hook process, or in the daemon for a harness that calls HTTP. */
export interface Arrival {
  /** Used when the payload has no natural key. */
  readonly id: EventId
  readonly at: string
  readonly door: SessionEvent['door']
  /** The harness process, when the hook's environment names it. */
  readonly pid?: number
  readonly pidStartedAt?: string
  readonly harnessVersion?: string
}

export interface Capabilities {
  /** How recovery reaches the agent: injected at the session's start, or when the agent calls an MCP tool. */
  readonly recovery: 'at-session-start' | 'on-request'
  /** Hooks whose output may carry memories. */
  readonly promptInjection: boolean
  /** Compactions are known, from a hook or from the transcript; the session is then given its state. */
  readonly compactionEvents: boolean
  /** The harness gives its summarizer the output of the hook before a compaction. Absent: it does not. */
  readonly compactionHint?: boolean
  /** Its agents can call our tools once the MCP entry is connected. Absent: unknown. */
  readonly mcpTools?: boolean
  /** The fill level of its agent's context is known at every turn, from its hooks or its transcript. Absent: never. */
  readonly contextMeasured?: boolean
  /** The harness can call HTTP by itself. */
  readonly httpHooks: boolean
  /** Characters of injected text that arrive whole. */
  readonly maxOutputChars: number
  /** The harness's history does not keep injected text, so a resumed session needs it again. Absent: it does. */
  readonly forgetsInjections?: boolean
}

export interface HookExpectation {
  /** The harness's own name for the hook. */
  readonly hook: string
  /** Runs in every session that gets a prompt; when it is missing, something is broken. */
  readonly isRoutine: boolean
}

/** Translates between one harness and Holdfast. Pure: it does no I/O. */
export interface Connector {
  readonly id: string
  readonly name: string
  readonly capabilities: Capabilities
  /** The variables that it sets for what it starts; `npm run docs` copies them to `descriptor/known-harnesses.ts`. */
  readonly environment: HarnessEnvironment
  /** How many tokens fit into the context of this model; absent, or undefined, where that is unknown. */
  contextWindowTokens?(model: string | undefined): number | undefined
  /** The hooks that we install and so expect to see. */
  readonly hooks: readonly HookExpectation[]
  /** The event that a hook's payload reports; undefined when there is none. Throws `invalid-input` for a payload that cannot be read. */
  readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined
  /**
   * Whether the transcript already contains something about this moment that the payload lacks: an exit status, a
   * compaction. It is then read before the event is stored. Absent where the payloads are complete.
   */
  isTranscriptMoreComplete?(hook: string, payload: unknown): boolean
  /** Whether the harness shows its agent the output of this hook. */
  canInject(hook: string, payload: unknown): boolean
  /**
   * The hook's stdout (or HTTP reply) that injects `text` for the agent; undefined when this hook cannot. `forUser` is
   * also shown to the user, where the harness can do that.
   */
  writeInjection(hook: string, text: string, forUser?: string): string | undefined
  /** The output that stops the agent, with the reason for its user; undefined on a hook that cannot. Absent: no hook can. */
  writeStop?(hook: string, reason: string): string | undefined
  /** The output that keeps the announced tool from running and gives the agent the reason. Absent: no hook can. */
  writeRefusal?(hook: string, reason: string): string | undefined
  /** The reply to an HTTP hook of this harness when there is nothing to inject. */
  readonly emptyReply: string
}

/** One entry of the registry: everything that Holdfast knows of a harness. */
export interface Harness {
  readonly id: string
  /** Absent where only transcripts can be read. */
  readonly connector?: Connector
  /** How its transcripts are read, recognised and found; absent where none can be read. */
  readonly transcript?: TranscriptFormat
  /** Its one-shot mode, as a preset of `digest.command`; known to work with the version that `test/clients` pins. */
  readonly writer?: WriterPreset
  /** The words that open one of its sessions again, as its documentation gives them; absent where there is none. */
  resumeCommand?(sessionKey: string): readonly string[]
  /** The edits that `holdfast init` makes. Loaded on demand: few commands need it. */
  loadSetup?(): Promise<{ readonly setup: HarnessSetup }>
}
