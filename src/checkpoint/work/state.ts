import type {
  Ask,
  CommandPurpose,
  DecisionRecord,
  ErrorRecord,
  Statement,
  TestResult,
  Written,
} from '../../kernel/checkpoint.ts'
import type { FileAction, Todo } from '../../kernel/event.ts'
import type { PathSightings } from './path-sightings.ts'

export interface FileEntry {
  readonly path: string
  readonly action: FileAction
  readonly reads: number
  readonly edits: number
  readonly sightings: PathSightings
  readonly lastOrder: number
  /** 0 when never edited. */
  readonly lastEditOrder: number
}

/** A file that was named and never touched. */
export interface NamedEntry {
  readonly path: string
  readonly sightings: PathSightings
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
}

/** Where a name was seen: in what the user asked, the agent said, a tool was given to do, or a tool showed. */
export type SightingKind = 'asked' | 'said' | 'acted' | 'shown'

/** One name and its sightings by kind, fading, as of `lastOrder`; `sightings` counts them all and does not fade. */
export interface IdentifierEntry extends Readonly<Record<SightingKind, number>> {
  readonly name: string
  readonly sightings: number
  readonly lastOrder: number
  /** A tool showed it before anybody used it. */
  readonly wasFound?: true
}

/** Names that were seen together. */
export interface Scene {
  readonly order: number
  readonly kind: SightingKind
  /** The one file that was open there. */
  readonly path?: string
  readonly names: readonly string[]
}

export type ClaimTopic = 'tests' | 'build' | 'lint'

export interface ClaimEntry {
  readonly topic: ClaimTopic
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
  /** What it is about, so that a later success takes it back. */
  readonly key: string
  readonly text: string
}

export interface Plan {
  /** Files that it names. */
  readonly paths: readonly string[]
  /** Of one that the agent wrote or read; an ask speaks for itself. */
  readonly title?: { readonly text: string; readonly lastOrder: number }
  /** It stood in a document that was read: a plan that somebody put forward goes before it. */
  readonly isDocument?: true
}

/** The session's work so far. Plain JSON, bounded in every list, so that it can be kept and read back. */
export interface WorkState {
  readonly version: 1
  /** Counts what was folded: the session's own order of things. */
  readonly order: number
  /** Where it happens: what paths are relative to. */
  readonly worktree?: string
  /** Ids of the latest events, so that a repeated tail of a transcript counts once. */
  readonly seen: readonly string[]
  readonly promptCount: number
  readonly firstAsk?: Ask
  readonly asks: readonly Ask[]
  readonly files: readonly FileEntry[]
  readonly named: readonly NamedEntry[]
  readonly commands: readonly CommandEntry[]
  readonly tests: readonly TestResult[]
  readonly errors: readonly ErrorRecord[]
  readonly todos: readonly Todo[]
  /** The plan that is being carried out. */
  readonly plan?: Plan
  readonly decisions: readonly DecisionRecord[]
  readonly blockers: readonly string[]
  readonly identifiers: readonly IdentifierEntry[]
  /** The latest; absent in states that were kept before there were any. */
  readonly scenes?: readonly Scene[]
  readonly refs: readonly string[]
  readonly statements: readonly Statement[]
  /** How the last statement ended. */
  readonly closing?: { readonly text: string; readonly order: number }
  readonly failedApproaches: readonly FailedApproach[]
  readonly claims: readonly ClaimEntry[]
  readonly remembers: readonly string[]
  readonly digest?: DigestEntry
  /** The digest byte for byte, as the next session gets it back. */
  readonly written?: Written
  /** Set while the agent has handed the word back; what it said then. */
  readonly turnEnded?: { readonly at: string; readonly lastMessage?: string }
  /** A tool call that has begun and not finished. */
  readonly running?: { readonly callId?: string; readonly what: string }
  /** What a tool that edits or reads was last refused with; gone once it works. */
  readonly refusal?: { readonly tool: string; readonly signature: string }
  readonly task?: { readonly slug: string; readonly gate: string }
  readonly lastEditOrder: number
  /** What the harness wrote when it compacted last, as it shows its agent. */
  readonly shown?: { readonly text: string }
  readonly contextTokens?: number
}

export const LIMITS = {
  seen: 256,
  asks: 20,
  askChars: 1_200,
  files: 160,
  named: 120,
  plannedPaths: 60,
  commands: 60,
  tests: 40,
  errors: 30,
  todos: 60,
  todoChars: 240,
  decisions: 20,
  decisionChars: 400,
  blockers: 10,
  identifiers: 420,
  scenes: 60,
  sceneNames: 30,
  namesAtOnce: 200,
  refs: 20,
  writtenChars: 16_000,
  writtenFieldChars: 6_000,
  shownChars: 16_000,
  statements: 6,
  statementChars: 900,
  closingChars: 140,
  failedApproaches: 10,
  claims: 8,
  remembers: 10,
} as const

export function emptyWork(): WorkState {
  return {
    version: 1,
    order: 0,
    seen: [],
    promptCount: 0,
    asks: [],
    files: [],
    named: [],
    commands: [],
    tests: [],
    errors: [],
    todos: [],
    decisions: [],
    blockers: [],
    identifiers: [],
    refs: [],
    statements: [],
    failedApproaches: [],
    claims: [],
    remembers: [],
    lastEditOrder: 0,
  }
}

type Kind = 'string' | 'number' | 'boolean' | 'object'

/** The fields that folding and composing lean on; a list with any other shape was written by a version we do not know. */
const LISTS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  asks: { text: 'string', at: 'string', order: 'number' },
  files: {
    path: 'string',
    action: 'string',
    reads: 'number',
    edits: 'number',
    sightings: 'object',
    lastOrder: 'number',
    lastEditOrder: 'number',
  },
  named: { path: 'string', sightings: 'object' },
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
  identifiers: {
    name: 'string',
    asked: 'number',
    said: 'number',
    acted: 'number',
    shown: 'number',
    sightings: 'number',
    lastOrder: 'number',
  },
  statements: { text: 'string', lastOrder: 'number' },
  failedApproaches: { key: 'string', text: 'string' },
  claims: { topic: 'string', text: 'string', order: 'number' },
}
const TEXT_LISTS = ['seen', 'blockers', 'refs', 'remembers'] as const

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasFields(value: unknown, fields: Readonly<Record<string, Kind>>): boolean {
  return (
    isRecord(value) &&
    Object.entries(fields).every(([name, kind]) =>
      kind === 'object' ? isRecord(value[name]) : typeof value[name] === kind,
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
  return isRecord(value) && isTexts(value.paths) && isOptional(value.title, { text: 'string', lastOrder: 'number' })
}

function isScene(value: unknown): boolean {
  if (!isRecord(value) || !hasFields(value, { order: 'number', kind: 'string' })) return false
  return isTexts(value.names) && (value.path === undefined || typeof value.path === 'string')
}

function isWorkState(value: unknown): value is WorkState {
  if (!isRecord(value) || value.version !== 1) return false
  if (!hasFields(value, { order: 'number', promptCount: 'number', lastEditOrder: 'number' })) return false
  if (!isOptional(value.firstAsk, { text: 'string', at: 'string', order: 'number' })) return false
  if (!isOptional(value.digest, { summary: 'string', order: 'number' })) return false
  if (!isOptional(value.shown, { text: 'string' })) return false
  if (value.plan !== undefined && !isPlan(value.plan)) return false
  if (value.scenes !== undefined && !(Array.isArray(value.scenes) && value.scenes.every(isScene))) return false
  if (!isOptional(value.written, { summary: 'string', order: 'number' })) return false
  if (!isOptional(value.turnEnded, { at: 'string' })) return false
  if (!isOptional(value.running, { what: 'string' })) return false
  if (!isOptional(value.refusal, { tool: 'string', signature: 'string' })) return false
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

/** What was kept, or an empty state when that cannot be read: the events behind it are still there to be folded again. */
export function parseWork(json: string): WorkState {
  try {
    const value: unknown = JSON.parse(json)
    return isWorkState(value) ? value : emptyWork()
  } catch {
    // Not JSON: as unreadable as an unknown version, with the same way out.
    return emptyWork()
  }
}
