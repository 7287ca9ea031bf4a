import { type EventId, type SessionId, type SessionKey, toSessionId } from './id.ts'
import type { TaskSessionState } from './task-session-state.ts'

/** How an event arrived. The same fact by two ways has one event id. */
export type EntryPoint = 'hook' | 'spool' | 'transcript' | 'cli' | 'mcp' | 'api'

/** A subagent inside a session; absent on the main thread. */
export interface SubagentRef {
  readonly id: string
  readonly type?: string
}

/** The harness process. The start time distinguishes it from a later one with the same pid. */
export interface ProcessRef {
  readonly pid: number
  /** Opaque, compared for equality only; absent if the platform does not report it. */
  readonly startedAt?: string
}

/** Tokens in the agent's context, and its window if reported. */
export interface ContextMeasure {
  readonly tokens: number
  readonly windowTokens?: number
}

interface EventFields {
  readonly id: EventId
  readonly harness: string
  readonly harnessVersion?: string
  readonly sessionKey: SessionKey
  /** Arrival time (UTC ISO). For display and ages, never for order. */
  readonly at: string
  readonly door: EntryPoint
  readonly cwd?: string
  readonly transcriptPath?: string
  readonly subagent?: SubagentRef
  readonly process?: ProcessRef
  /** If the harness reports it with its hooks; of the main thread only. */
  readonly context?: ContextMeasure
}

export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork'
/** imported: read from a transcript afterwards. handoff: continued elsewhere, and received in a bundle. */
export type EndReason = 'clear' | 'resume' | 'logout' | 'exit' | 'other' | 'imported' | 'handoff'
export type CompactionTrigger = 'manual' | 'auto'

/** What a tool does, independent of its harness. */
export type ToolKind = 'read' | 'edit' | 'search' | 'shell' | 'todo' | 'agent' | 'web' | 'mcp' | 'other'
export type FileAction = 'read' | 'created' | 'edited' | 'deleted'

export interface FileTouch {
  /** As the harness gave it; made relative to the worktree when folded. */
  readonly path: string
  readonly action: FileAction
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed'
export interface Todo {
  /** The harness's own id, if it has one (Claude Code's Task tools). */
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
  /** Where the command ran, if not in the session's folder; relative to that folder or absolute. */
  readonly cwd?: string
  /** The pattern of a search tool, the query or address of a web tool. */
  readonly query?: string
  /** A bounded part of what an edit removed and wrote, for finding identifiers. */
  readonly fragment?: string
  /** Identifiers of an edit that does not fit into the fragment, the most frequent first. */
  readonly names?: readonly string[]
  /** The plan that the agent presented or wrote. */
  readonly plan?: string
  readonly todo?: TodoUpdate
  /** The agent's one-line purpose, if the tool has such a field. */
  readonly description?: string
  /** It continues after the call has returned. */
  readonly isBackground?: boolean
}

/** The question behind an agent's plan; the answer begins with "approved". */
export const PLAN_QUESTION = 'Does the user approve the plan?'
/** What a refused plan is called. */
export const REFUSED_PLAN = 'the plan'

/** The user's answer to a question that the agent asked with a tool. */
export interface QuestionAnswer {
  readonly question: string
  readonly options: readonly string[]
  readonly answer: string
}

export interface ToolOutcome {
  readonly ok: boolean
  /** Only if the harness reported one. */
  readonly exitStatus?: number
  /** Bounded: the head and the tail of a long output, cut between words. */
  readonly output?: string
  /** Identifiers in the whole output, the most frequent first. */
  readonly names?: readonly string[]
  /** Files named in the whole output, in order. */
  readonly paths?: readonly string[]
  /** Hits of a search for each of `paths`, if more than one. */
  readonly hits?: Readonly<Record<string, number>>
  /** Of a document with open checkboxes: its title and the files that it names, one per line. */
  readonly plan?: string
  readonly interrupted?: boolean
  /** The call never ran. `words`: what the user said with the refusal. */
  readonly refused?: { readonly by: 'user' | 'harness'; readonly words?: string }
  readonly answers?: readonly QuestionAnswer[]
  /** The harness's id of a shell or subagent that continues in the background. */
  readonly backgroundId?: string
  readonly durationMs?: number
}

export interface Decision {
  readonly decision: string
  readonly rationale?: string
  readonly alternatives?: readonly string[]
}

/** Who wrote a note for the next session; `command`: the program of `digest.command`. */
export type NoteAuthor = 'agent' | 'user' | 'command'

/** The closed vocabulary that connectors translate into. */
export type SessionEvent = EventFields &
  (
    | {
        readonly kind: 'session-started'
        readonly source: StartSource
        readonly model?: string
        /** The session this one continues, if the harness or the caller names it. */
        readonly previousSessionKey?: SessionKey
      }
    | {
        readonly kind: 'prompt-submitted'
        readonly prompt: string
        readonly promptId?: string
        /** The user sent it while the agent worked. */
        readonly isQueued?: boolean
        /** What a slash command or a skill stands for, if the harness shows it. */
        readonly expansion?: string
      }
    | { readonly kind: 'tool-started'; readonly tool: ToolCall }
    | { readonly kind: 'tool-finished'; readonly tool: ToolCall; readonly outcome: ToolOutcome }
    | { readonly kind: 'turn-ended'; readonly lastMessage?: string }
    | {
        readonly kind: 'compaction-started'
        readonly trigger: CompactionTrigger
        /** What the user asked the summary to keep. */
        readonly instructions?: string
        /** What the harness itself says of the session. */
        readonly sessionContext?: string
      }
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
        /** Absent: the agent. */
        readonly author?: NoteAuthor
        /** The session's own order (`WorkSummary.lastOrder`) that it describes, if work continued while it was written. */
        readonly asOfOrder?: number
      }
    | { readonly kind: 'remembered'; readonly content: string; readonly memoryId?: string }
    | { readonly kind: 'gate-changed'; readonly task: string; readonly from?: string; readonly to: string }
    /** A governed task's session changed its state; an unchanged state is a sign of life. */
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

/** Reported by harnesses; the other kinds are Holdfast's own. */
export const HARNESS_EVENT_KINDS = [
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
] as const satisfies readonly EventKind[]

export const EVENT_KINDS = [
  ...HARNESS_EVENT_KINDS,
  'digest-written',
  'remembered',
  'gate-changed',
  'task-session-changed',
  'decision-made',
  'error-recovered',
] as const satisfies readonly EventKind[]

/** An event as stored in the log. */
export interface StoredEvent {
  /** Gap-free, starting at 1: the order of all events. */
  readonly seq: number
  readonly event: SessionEvent
  /** SHA-256 over the previous row's hash and this row's body. */
  readonly hash: string
}

export function getSessionId(event: SessionEvent): SessionId {
  return toSessionId(event.harness, event.sessionKey)
}

/** In the transcript only, without a hook; folded with events, not logged as one. */
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

export type TranscriptItem =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'note'; readonly note: TranscriptNote }
