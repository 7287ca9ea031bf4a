import { type EventId, type SessionId, type SessionKey, sessionIdOf } from './id.ts'
import type { TaskSessionState } from './task-session-state.ts'

/** How an event reached us. Two ways in for the same fact share one event id. */
export type EventDoor = 'hook' | 'spool' | 'transcript' | 'cli' | 'mcp' | 'api'

/** A subagent inside a session; absent on the main thread. */
export interface SubagentRef {
  readonly id: string
  readonly type?: string
}

/** The harness process, told apart from a later one with the same pid by its start time. */
export interface ProcessRef {
  readonly pid: number
  /** Opaque, compared for equality only; absent when the platform could not tell. */
  readonly startedAt?: string
}

/** How full the agent's context is, in tokens, and how many fit where that was said. */
export interface ContextMeasure {
  readonly tokens: number
  readonly windowTokens?: number
}

interface EventBase {
  readonly id: EventId
  readonly harness: string
  readonly harnessVersion?: string
  readonly sessionKey: SessionKey
  /** Receipt time (UTC ISO), stamped where the event entered. For display and ages, never for order. */
  readonly at: string
  readonly door: EventDoor
  readonly cwd?: string
  readonly transcriptPath?: string
  readonly subagent?: SubagentRef
  readonly process?: ProcessRef
  /** Where the harness says it with its hooks; of the main thread only. */
  readonly context?: ContextMeasure
}

export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork'
/** imported: read from a transcript after it was over. handoff: it went on elsewhere, and came here in a bundle. */
export type EndReason = 'clear' | 'resume' | 'logout' | 'exit' | 'other' | 'imported' | 'handoff'
export type CompactionTrigger = 'manual' | 'auto'

/** What a tool does, whatever its harness calls it. */
export type ToolKind = 'read' | 'edit' | 'search' | 'shell' | 'todo' | 'agent' | 'web' | 'mcp' | 'other'
export type FileAction = 'read' | 'created' | 'edited' | 'deleted'

export interface FileTouch {
  /** As the harness gave it; made relative to the worktree when folded. */
  readonly path: string
  readonly action: FileAction
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed'
export interface Todo {
  /** The harness's own id where it has one (Claude Code's Task tools), else absent. */
  readonly id?: string
  readonly text: string
  readonly status: TodoStatus
}

/** Either the whole list, or one change to it. */
export type TodoUpdate =
  | { readonly kind: 'list'; readonly todos: readonly Todo[] }
  | { readonly kind: 'add'; readonly id?: string; readonly text: string }
  | { readonly kind: 'change'; readonly id: string; readonly text?: string; readonly status?: TodoStatus | 'deleted' }

export interface ToolCall {
  /** The harness's id for this call; start and finish, hook and transcript agree on it. */
  readonly callId?: string
  readonly name: string
  readonly kind: ToolKind
  readonly files: readonly FileTouch[]
  /** The command line of a shell tool. */
  readonly command?: string
  /** Where that command ran, when not in the session's folder; relative to that folder where it is not absolute. */
  readonly cwd?: string
  /** The pattern of a search tool, the query or address of a web tool. */
  readonly query?: string
  /** A bounded piece of what an edit removed and wrote: where identifiers are found. */
  readonly fragment?: string
  /** Names in the code of an edit that the fragment does not hold whole, the most frequent first. */
  readonly names?: readonly string[]
  /** The plan that the agent put before its user or wrote down as one. */
  readonly plan?: string
  readonly todo?: TodoUpdate
  /** The one-line purpose that the agent gave, where the tool has such a field. */
  readonly description?: string
}

export interface ToolOutcome {
  readonly ok: boolean
  /** Only where the harness reported one; a success without a number is `ok` alone. */
  readonly exitStatus?: number
  /** Bounded: the head and the tail of a long output, cut between words. */
  readonly output?: string
  /** Names in the code that the whole output showed, the most frequent first: what is left of a file's content. */
  readonly names?: readonly string[]
  /** Files that the whole output named, in order. */
  readonly paths?: readonly string[]
  /** How many lines of a search's output were about each of `paths`, where more than one. */
  readonly hits?: Readonly<Record<string, number>>
  /** Of a document with boxes still to tick: its title and the files that it names, each in a line. */
  readonly plan?: string
  readonly interrupted?: boolean
  readonly durationMs?: number
}

export interface Decision {
  readonly decision: string
  readonly rationale?: string
  readonly alternatives?: readonly string[]
}

/** The closed vocabulary. Connectors translate into it; nothing past them knows a harness's words. */
export type SessionEvent = EventBase &
  (
    | {
        readonly kind: 'session-started'
        readonly source: StartSource
        readonly model?: string
        /** The session this one continues, when the harness or the caller says so. */
        readonly previousSessionKey?: SessionKey
      }
    | { readonly kind: 'prompt-submitted'; readonly prompt: string; readonly promptId?: string }
    | { readonly kind: 'tool-started'; readonly tool: ToolCall }
    | { readonly kind: 'tool-finished'; readonly tool: ToolCall; readonly outcome: ToolOutcome }
    | { readonly kind: 'turn-ended'; readonly lastMessage?: string }
    | { readonly kind: 'compaction-started'; readonly trigger: CompactionTrigger; readonly instructions?: string }
    | {
        readonly kind: 'compaction-finished'
        readonly trigger?: CompactionTrigger
        readonly summary?: string
        readonly tokensBefore?: number
        readonly tokensAfter?: number
      }
    | { readonly kind: 'subagent-started' }
    | { readonly kind: 'subagent-finished'; readonly lastMessage?: string }
    | { readonly kind: 'session-ended'; readonly reason: EndReason }
    | {
        readonly kind: 'digest-written'
        readonly summary: string
        readonly nextAction?: string
        readonly waitingFor?: string
        readonly decisions?: readonly Decision[]
        readonly blockers?: readonly string[]
        readonly name?: string
      }
    | { readonly kind: 'remembered'; readonly content: string; readonly memoryId?: string }
    | { readonly kind: 'gate-changed'; readonly task: string; readonly from?: string; readonly to: string }
    /** A governed task's session took a step; with the state it is in already, only that it is alive. */
    | {
        readonly kind: 'task-session-changed'
        readonly task: string
        readonly taskSession: string
        readonly state: TaskSessionState
        readonly gate?: string
        readonly reason?: string
      }
    | ({ readonly kind: 'decision-made' } & Decision)
    | { readonly kind: 'error-recovered'; readonly error: string; readonly resolution: string }
  )

export type EventKind = SessionEvent['kind']
export type EventOf<K extends EventKind> = Extract<SessionEvent, { kind: K }>

export const EVENT_KINDS = [
  'session-started',
  'prompt-submitted',
  'tool-started',
  'tool-finished',
  'turn-ended',
  'compaction-started',
  'compaction-finished',
  'subagent-started',
  'subagent-finished',
  'session-ended',
  'digest-written',
  'remembered',
  'gate-changed',
  'task-session-changed',
  'decision-made',
  'error-recovered',
] as const satisfies readonly EventKind[]

/** An event as the log keeps it. */
export interface StoredEvent {
  /** Gap-free, starting at 1: the one order of things. */
  readonly seq: number
  readonly event: SessionEvent
  /** SHA-256 over the previous row's hash and this row's body. */
  readonly hash: string
}

export function sessionIdOfEvent(event: SessionEvent): SessionId {
  return sessionIdOf(event.harness, event.sessionKey)
}

/** Said by the transcript and by no hook; folded beside events, not logged as one. */
export type TranscriptNote =
  | { readonly kind: 'statement'; readonly text: string; readonly at?: string }
  | {
      readonly kind: 'context-measured'
      readonly contextTokens: number
      readonly windowTokens?: number
      readonly model?: string
    }
  /** A summary the harness wrote at compaction and shows its model. */
  | { readonly kind: 'summary-shown'; readonly text: string }

/** One thing a transcript line said, in our words. */
export type TranscriptItem =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'note'; readonly note: TranscriptNote }
