import type { ProjectId, SessionId } from './id.ts'

/** A repository or folder that somebody gave a name. */
export interface Project {
  /** The canonical name: what every query is kept and found under. */
  readonly name: string
  /** Realpath, as it was when registered. */
  readonly rootPath: string
  readonly projectId: ProjectId
  /** Lower case; what other programs call it. */
  readonly keywords: readonly string[]
  readonly addedAt: string
}

/** What was asked about: a registered name, a path, or nothing but the directory one is in. One of the two is needed. */
export interface ProjectRef {
  readonly project?: string
  readonly cwd?: string
}

export const PROJECT_MATCHES = ['name', 'similar-name', 'path', 'folder-name', 'directory'] as const
/** directory: nothing registered has that name, so it is about the directory one is in. */
export type ProjectMatch = (typeof PROJECT_MATCHES)[number]

/** The one project that a name or a directory means. */
export interface ResolvedProject {
  /** The canonical name; of an unregistered directory, the name of its folder. */
  readonly name: string
  readonly rootPath: string
  /** Realpath of the checkout's top level: what file paths are relative to. */
  readonly worktree: string
  readonly projectId: ProjectId
  readonly keywords: readonly string[]
  readonly isRegistered: boolean
  readonly isOnDisk: boolean
  readonly matchedBy: ProjectMatch
}

export interface ProjectListing extends Project {
  readonly isOnDisk: boolean
}

/** Whether the session behind an intent may still be at work. unknown: it named a session that we never saw an event of. */
export const INTENT_STANDINGS = ['live', 'dead', 'unknown'] as const
export type IntentStanding = (typeof INTENT_STANDINGS)[number]

/** What a session said it would do. */
export interface Intent {
  readonly id: string
  readonly projectId: ProjectId
  readonly worktree: string
  /** The session's key where the harness has one, else the name the agent gave itself. */
  readonly sessionLabel: string
  /** Set when the label is the key of a session that we know. */
  readonly sessionId?: SessionId
  readonly intent: string
  /** Normalised: worktree-relative where they lie inside it, globs allowed. */
  readonly files: readonly string[]
  readonly startedAt: string
  readonly completedAt?: string
  readonly outcome?: string
}

/** An intent and whether anybody still stands behind it, now. */
export interface StandingIntent extends Intent {
  readonly standing: IntentStanding
}

export interface IntentConflict {
  readonly intent: StandingIntent
  /** What both mean to touch, in the words of the intent that was there first. */
  readonly files: readonly string[]
  /** False when the other works in another checkout of the same repository: it meets at the merge, not in the file. */
  readonly isSameWorktree: boolean
}

export const ENTITY_TYPES = [
  'function',
  'method',
  'class',
  'interface',
  'type',
  'constant',
  'module',
  'endpoint',
  'table',
] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

/** hand: somebody registered it. index: `holdfast index` found it in the code. */
export const ENTITY_ORIGINS = ['hand', 'index'] as const
export type EntityOrigin = (typeof ENTITY_ORIGINS)[number]

export const ENTITY_STATES = ['holds', 'moved', 'gone', 'unknown'] as const
/** holds: where it was said to be. moved: elsewhere in the code. gone: the code no longer has it. unknown: it could not be looked up. */
export type EntityState = (typeof ENTITY_STATES)[number]

export interface Entity {
  readonly projectId: ProjectId
  readonly name: string
  readonly type: EntityType
  /** Worktree-relative. */
  readonly file: string
  readonly line?: number
  /** When somebody last registered it; of the index, when that was made. */
  readonly lastSeenAt: string
}

/** An entity as the code has it at this moment. */
export interface CheckedEntity extends Entity {
  readonly origin: EntityOrigin
  readonly state: EntityState
  /** Where it is now; only when moved. */
  readonly foundAt?: { readonly file: string; readonly line?: number }
}

/** What a session told the next one. */
export interface SessionSummary {
  readonly id: string
  readonly projectId: ProjectId
  readonly worktree: string
  readonly sessionLabel?: string
  readonly sessionId?: SessionId
  readonly summary: string
  readonly filesChanged: readonly string[]
  readonly entitiesRegistered: readonly string[]
  readonly checklistProgress: Readonly<Record<string, string>>
  readonly savedAt: string
}

/** One statement of a summary that disk, git or an observed run says otherwise about. */
export interface DoubtedClaim {
  readonly claim: string
  readonly because: string
}

export interface CheckedSummary extends SessionSummary {
  readonly doubts: readonly DoubtedClaim[]
}

/** S4's four: the first three design, the last one executes. */
export const SESSION_PHASES = ['MAP', 'ARCHITECT', 'PLAN', 'CODE'] as const
export type SessionPhase = (typeof SESSION_PHASES)[number]

export interface RecordIntentInput extends ProjectRef {
  readonly intent: string
  /** Paths or globs; relative ones are read from `cwd`, else from the project's root. */
  readonly files?: readonly string[]
  /** Made up and given back when absent. */
  readonly sessionLabel?: string
  readonly harness?: string
}

export interface RecordedIntent {
  readonly project: ResolvedProject
  readonly intent: Intent
  readonly conflicts: readonly IntentConflict[]
}

export interface CompleteIntentInput extends ProjectRef {
  readonly sessionLabel: string
  readonly outcome?: string
}

export interface CompletedIntents {
  readonly project: ResolvedProject
  /** Every intent of that session; the ones completed before keep their time and outcome. */
  readonly intents: readonly Intent[]
  readonly completedNow: number
}

export interface RegisterEntityInput extends ProjectRef {
  readonly name: string
  readonly type: EntityType
  readonly file: string
  readonly line?: number
}

export interface ListEntitiesInput extends ProjectRef {
  readonly type?: EntityType
  /** Only names that hold this text, whatever its case; the nearest match first. */
  readonly name?: string
  readonly limit: number
}

export interface ForgetEntityInput extends ProjectRef {
  readonly name: string
  /** Without, of every type. */
  readonly type?: EntityType
}

export interface SaveSummaryInput extends ProjectRef {
  readonly summary: string
  readonly sessionLabel?: string
  readonly harness?: string
  readonly filesChanged?: readonly string[]
  readonly entitiesRegistered?: readonly string[]
  readonly checklistProgress?: Readonly<Record<string, string>>
  /** When set, the session's open intents are completed after the summary is durable, never before. */
  readonly outcome?: string
}

export interface SavedSummary {
  readonly project: ResolvedProject
  /** With what is doubted about it already now. */
  readonly summary: CheckedSummary
  readonly completedIntents: number
}

export interface DoubtInput extends ProjectRef {
  readonly text: string
  /** Whose words they are: the files that it edited are looked at too. */
  readonly sessionId?: SessionId
}

export interface MarkItemInput extends ProjectRef {
  /** An item's id, or its text. */
  readonly item: string
  readonly status: ChecklistStatus
  readonly note?: string
  readonly sessionLabel?: string
}

export interface VerifyItemInput extends Omit<MarkItemInput, 'status'> {
  /** The command runs in the project's root, where the user allowed it. */
  readonly verification: { readonly command: string; readonly expect?: string }
}

export const HISTORY_KINDS = ['summary', 'checkpoint', 'decision', 'memory', 'pieces'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

export interface HistoryInput extends ProjectRef {
  readonly text: string
  readonly limit: number
  /** Who asks: what this session said itself is left out, unless a compaction took some of it from its sight. */
  readonly sessionKey?: string
  /** Whose key that is; without it, the latest session that has it. */
  readonly harness?: string
}

export interface HistoryHit {
  readonly kind: HistoryKind
  /** The id in its own store; for Pieces, its docid. */
  readonly id: string
  readonly title: string
  readonly excerpt: string
  /** Absent where the source tells no time. */
  readonly at?: string
  /** Comparable within one answer only; larger is better. */
  readonly score: number
}

/** One line of other programs' memory of what was done. */
export interface PiecesSession {
  readonly docid: number
  readonly title: string
  readonly source: 'summary' | 'window-titles'
}

export interface RecentSessions {
  readonly project: ResolvedProject
  readonly intents: readonly StandingIntent[]
  readonly summaries: readonly CheckedSummary[]
  /** Empty without Pieces. */
  readonly pieces: readonly PiecesSession[]
}

export const BRIEFING_SECTIONS = [
  'notices',
  'index',
  'git',
  'checklist',
  'intents',
  'summaries',
  'pieces',
  'entities',
  'task',
] as const
export type BriefingSectionName = (typeof BRIEFING_SECTIONS)[number]

export interface BriefingInput extends ProjectRef {
  readonly sessionLabel?: string
  /** Of the whole text, at four characters a token; 6,000 unless told. */
  readonly budgetTokens?: number
  /** The session goes on after a compaction: in the coding phase only the current task is told. */
  readonly afterCompaction?: boolean
  /** Overrides what is stored for the session. */
  readonly phase?: SessionPhase
}

export interface BriefingSection {
  readonly name: BriefingSectionName
  /** When what it says was true. Absent when it says nothing. */
  readonly asOf?: string
  /** Where it comes from, in words. */
  readonly origin: string
  readonly isEmpty: boolean
  readonly isCut: boolean
}

export interface Briefing {
  readonly project: ResolvedProject
  readonly generatedAt: string
  /** current-task: after a compaction in the coding phase. */
  readonly mode: 'full' | 'current-task'
  readonly phase?: SessionPhase
  /** Nobody registered this project: registry, index and keywords may be missing. */
  readonly isDegraded: boolean
  /** Markdown; everything that others wrote stands in fences. */
  readonly text: string
  readonly tokens: number
  readonly sections: readonly BriefingSection[]
}

export const CHECKLIST_STATUSES = ['pending', 'in_progress', 'done', 'blocked', 'verified'] as const
export type ChecklistStatus = (typeof CHECKLIST_STATUSES)[number]

export interface ChecklistItem {
  /** Survives edits above and below. */
  readonly id: string
  readonly section: string
  readonly text: string
  readonly status: ChecklistStatus
  /** 1-based. */
  readonly line: number
  readonly note?: string
}

/** An item that is ticked, and what was seen that says otherwise. */
export interface ChecklistDiscrepancy {
  readonly itemId: string
  readonly text: string
  readonly because: string
}

export interface ChecklistView {
  readonly path: string
  readonly modifiedAt: string
  readonly items: readonly ChecklistItem[]
  readonly discrepancies: readonly ChecklistDiscrepancy[]
}
