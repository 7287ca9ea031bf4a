import type {
  UserRequest,
  CommitRecord,
  CommandPurpose,
  DecisionRecord,
  EditRecord,
  GitStatusSeen,
  OpenMerge,
  PullRequestSeen,
  ErrorRecord,
  Statement,
  TestResult,
  ToolStep,
  AgentNote,
} from '../../kernel/checkpoint.ts'
import type { FileAction, Todo } from '../../kernel/event.ts'
import type { InFlightState } from '../in-flight/fold-in-flight.ts'
import type { CheckEntry } from '../checks/checks.ts'
import type { DialogueState } from './dialogue.ts'
import { isObject } from '../../kernel/json-shape.ts'

export interface FileEntry {
  readonly path: string
  readonly action: FileAction
  readonly reads: number
  readonly edits: number
  readonly lastOrder: number
  /** 0 when never edited. */
  readonly lastEditOrder: number
}

export interface CommandEntry {
  readonly command: string
  readonly head: string
  readonly purpose: CommandPurpose
  readonly ok: boolean
  readonly exitStatus?: number
  readonly runs: number
  readonly failures: number
  /** Failures since it last succeeded. */
  readonly failuresInRow: number
  readonly lastOrder: number
  readonly lastError?: string
  readonly lastShown?: string
}

export interface ClaimEntry {
  readonly topic: string
  readonly text: string
  readonly order: number
}

export interface DigestEntry {
  readonly summary: string
  readonly nextAction?: string
  readonly waitingFor?: string
  readonly name?: string
  readonly order: number
}

export interface FailedApproach {
  /** The command, so that a later success removes it. */
  readonly key: string
  readonly text: string
}

export interface Plan {
  /** Of a plan that the agent wrote or read; a request needs none. */
  readonly title?: { readonly text: string; readonly lastOrder: number }
  /** From a document that was read: a presented plan takes precedence. */
  readonly isDocument?: true
}

/** The session's work so far. Plain JSON, bounded in every list. */
export interface WorkState {
  readonly version: 1
  /** Counts what was folded: the session's own order. */
  readonly order: number
  /** What paths are relative to. */
  readonly worktree?: string
  /** Ids of the latest events, so that a repeated tail of a transcript counts once. */
  readonly seen: readonly string[]
  readonly promptCount: number
  readonly firstAsk?: UserRequest
  readonly asks: readonly UserRequest[]
  readonly files: readonly FileEntry[]
  readonly commands: readonly CommandEntry[]
  readonly tests: readonly TestResult[]
  readonly errors: readonly ErrorRecord[]
  /** The last run of each check; absent in older states. */
  readonly checks?: readonly CheckEntry[]
  /** Absent in older states. */
  readonly commits?: readonly CommitRecord[]
  readonly lastPushOrder?: number
  readonly pullRequest?: PullRequestSeen
  readonly todos: readonly Todo[]
  readonly todosOrder?: number
  readonly plan?: Plan
  readonly decisions: readonly DecisionRecord[]
  readonly blockers: readonly string[]
  readonly refs: readonly string[]
  readonly statements: readonly Statement[]
  /** How the last statement ended. */
  readonly closing?: { readonly text: string; readonly order: number }
  readonly failedApproaches: readonly FailedApproach[]
  readonly claims: readonly ClaimEntry[]
  readonly remembers: readonly string[]
  readonly digest?: DigestEntry
  /** The digest byte for byte, for the next session. */
  readonly written?: AgentNote
  /** Set while the agent waits for the user, with its last message. */
  readonly turnEnded?: { readonly at: string; readonly lastMessage?: string }
  /** A tool call that has not finished. */
  readonly running?: { readonly callId?: string; readonly what: string }
  /** The last refusal of a tool that edits or reads; removed once it succeeds. */
  readonly refusal?: { readonly tool: string; readonly signature: string }
  readonly task?: { readonly slug: string; readonly gate: string }
  /** Absent in older states. */
  readonly inFlight?: InFlightState
  /** Queued prompts that the harness may report again, when it takes them; absent in older states. */
  readonly queued?: readonly string[]
  /** Of code, by a tool or by a command; 0 when never. */
  readonly lastEditOrder: number
  /** The harness's own summary of the last compaction. */
  readonly shown?: { readonly text: string }
  readonly contextTokens?: number
  /** What came with the last compaction's start. */
  readonly compaction?: { readonly instructions?: string; readonly sessionContext?: string }
  /** Absent in older states. */
  readonly dialogue?: DialogueState
  readonly gitStatus?: GitStatusSeen
  readonly merge?: OpenMerge
  readonly steps?: readonly ToolStep[]
  readonly edits?: readonly EditRecord[]
}

export const LIMITS = {
  seen: 256,
  asks: 20,
  askChars: 1_200,
  files: 160,
  commands: 60,
  tests: 40,
  errors: 30,
  todos: 60,
  todoChars: 240,
  decisions: 20,
  decisionChars: 400,
  blockers: 10,
  refs: 20,
  writtenChars: 40_000,
  writtenFieldChars: 6_000,
  shownChars: 32_000,
  compactionChars: 2_000,
  statements: 6,
  statementChars: 900,
  closingChars: 140,
  failedApproaches: 10,
  claims: 8,
  remembers: 10,
  queued: 10,
} as const

export function emptyWork(): WorkState {
  return {
    version: 1,
    order: 0,
    seen: [],
    promptCount: 0,
    asks: [],
    files: [],
    commands: [],
    tests: [],
    errors: [],
    todos: [],
    decisions: [],
    blockers: [],
    refs: [],
    statements: [],
    failedApproaches: [],
    claims: [],
    remembers: [],
    lastEditOrder: 0,
  }
}

type Kind = 'string' | 'number' | 'boolean' | 'object'

/** The fields that are required; a list with another shape was written by an unknown version. */
const LISTS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  asks: { text: 'string', at: 'string', order: 'number' },
  files: {
    path: 'string',
    action: 'string',
    reads: 'number',
    edits: 'number',
    lastOrder: 'number',
    lastEditOrder: 'number',
  },
  commands: {
    command: 'string',
    head: 'string',
    purpose: 'string',
    ok: 'boolean',
    runs: 'number',
    failures: 'number',
    failuresInRow: 'number',
    lastOrder: 'number',
  },
  tests: { name: 'string', status: 'string', command: 'string', lastOrder: 'number' },
  errors: { text: 'string', signature: 'string', count: 'number', lastOrder: 'number' },
  todos: { text: 'string', status: 'string' },
  decisions: { decision: 'string', evidence: 'string', lastOrder: 'number' },
  statements: { text: 'string', lastOrder: 'number' },
  failedApproaches: { key: 'string', text: 'string' },
  claims: { topic: 'string', text: 'string', order: 'number' },
}
const TEXT_LISTS = ['seen', 'blockers', 'refs', 'remembers'] as const

function hasFields(value: unknown, fields: Readonly<Record<string, Kind>>): boolean {
  return (
    isObject(value) &&
    Object.entries(fields).every(([name, kind]) =>
      kind === 'object' ? isObject(value[name]) : typeof value[name] === kind,
    )
  )
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isOptional(value: unknown, fields: Readonly<Record<string, Kind>>): boolean {
  return value === undefined || hasFields(value, fields)
}

function isPlan(value: unknown): boolean {
  return isObject(value) && isOptional(value.title, { text: 'string', lastOrder: 'number' })
}

function isOptionalList(value: unknown, fields: Readonly<Record<string, Kind>>): boolean {
  return value === undefined || isListOf(value, fields)
}

function isListOf(value: unknown, fields: Readonly<Record<string, Kind>>): boolean {
  return Array.isArray(value) && value.every((item) => hasFields(item, fields))
}

function isDialogue(value: unknown): boolean {
  return (
    isObject(value) &&
    isListOf(value.messages, { speaker: 'string', kind: 'string', text: 'string', order: 'number' }) &&
    isListOf(value.toolTimes, { order: 'number', at: 'string' })
  )
}

function isInFlight(value: unknown): boolean {
  const work = { kind: 'string', what: 'string', order: 'number' } as const
  return isObject(value) && Array.isArray(value.started) && isOptionalList(value.started, work) && isTexts(value.ended)
}

function isWorkState(value: unknown): value is WorkState {
  if (!isObject(value) || value.version !== 1) return false
  if (!hasFields(value, { order: 'number', promptCount: 'number', lastEditOrder: 'number' })) return false
  if (!isOptional(value.firstAsk, { text: 'string', at: 'string', order: 'number' })) return false
  const check = { key: 'string', command: 'string', purpose: 'string', verdict: 'string', order: 'number' } as const
  if (!isOptionalList(value.checks, check)) return false
  if (!isOptionalList(value.commits, { subject: 'string', order: 'number' })) return false
  if (!isOptional(value.digest, { summary: 'string', order: 'number' })) return false
  if (!isOptional(value.shown, { text: 'string' })) return false
  if (value.queued !== undefined && !isTexts(value.queued)) return false
  if (value.inFlight !== undefined && !isInFlight(value.inFlight)) return false
  if (value.plan !== undefined && !isPlan(value.plan)) return false
  if (!isOptional(value.written, { summary: 'string', order: 'number' })) return false
  if (!isOptional(value.turnEnded, { at: 'string' })) return false
  if (!isOptional(value.running, { what: 'string' })) return false
  if (!isOptional(value.refusal, { tool: 'string', signature: 'string' })) return false
  if (!isOptional(value.compaction, {})) return false
  if (!isOptional(value.gitStatus, { order: 'number' })) return false
  if (!isOptional(value.pullRequest, { number: 'number', order: 'number' })) return false
  if (!isOptional(value.merge, { command: 'string', order: 'number' })) return false
  if (
    value.steps !== undefined &&
    !isListOf(value.steps, { kind: 'string', what: 'string', ok: 'boolean', order: 'number' })
  )
    return false
  if (value.edits !== undefined && !isListOf(value.edits, { path: 'string', action: 'string', order: 'number' }))
    return false
  if (value.dialogue !== undefined && !isDialogue(value.dialogue)) return false
  if (!isOptional(value.task, { slug: 'string', gate: 'string' })) return false
  const areTexts = TEXT_LISTS.every((name) => isTexts(value[name]))
  return (
    areTexts &&
    Object.entries(LISTS).every(([name, fields]) => {
      const list = value[name]
      return Array.isArray(list) && list.every((item) => hasFields(item, fields))
    })
  )
}

/** An empty state if it cannot be read: the events can be folded again. */
export function parseWork(json: string): WorkState {
  try {
    const value: unknown = JSON.parse(json)
    return isWorkState(value) ? value : emptyWork()
  } catch {
    // Not JSON: treated like an unknown version.
    return emptyWork()
  }
}
