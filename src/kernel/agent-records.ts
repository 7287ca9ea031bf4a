import type { NotLookedAt } from './checklist.ts'
import type { ProjectId, SessionId, SessionKey } from './id.ts'

/** A repository or folder that was registered under a name. */
export interface Project {
  /** The canonical name. */
  readonly name: string
  /** Realpath, as it was when registered. */
  readonly rootPath: string
  readonly projectId: ProjectId
  /** Lower case; what other programs call it. */
  readonly keywords: readonly string[]
  readonly addedAt: string
}

/** Names a project: a registered name, a path, or only the working directory. One of the two is required. */
export interface ProjectRef {
  readonly project?: string
  readonly cwd?: string
}

export const PROJECT_MATCHES = ['name', 'similar-name', 'path', 'folder-name', 'directory'] as const
/** directory: no registered project has that name, so the working directory's project is used. */
export type ProjectMatch = (typeof PROJECT_MATCHES)[number]

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

/** Whether the session of an intent may still be working. unknown: no event of that session was ever seen. */
export const INTENT_LIVENESS = ['live', 'dead', 'unknown'] as const
export type IntentLiveness = (typeof INTENT_LIVENESS)[number]

export interface Intent {
  readonly id: string
  readonly projectId: ProjectId
  readonly worktree: string
  /** The session's key, or the name that the agent gave itself. */
  readonly sessionLabel: string
  /** Set if the label is the key of a known session. */
  readonly sessionId?: SessionId
  readonly intent: string
  /** Normalised: worktree-relative where they lie inside it, globs allowed. */
  readonly files: readonly string[]
  readonly startedAt: string
  readonly completedAt?: string
  readonly outcome?: string
}

export interface IntentWithLiveness extends Intent {
  readonly standing: IntentLiveness
}

export interface IntentConflict {
  readonly intent: IntentWithLiveness
  /** The overlap, as the earlier intent spells it. */
  readonly files: readonly string[]
  /** False if the other works in another checkout: the conflict then appears at the merge. */
  readonly isSameWorktree: boolean
}

/** A file that a live session was seen to change. */
export interface ObservedEdit {
  /** Relative to the worktree of its session. */
  readonly file: string
  readonly sessionId: SessionId
  readonly sessionKey: SessionKey
  readonly harness: string
  /** The name that the user gave the session. */
  readonly title?: string
  readonly worktree: string
  readonly branch?: string
  readonly edits: number
  readonly lastEditAt: string
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

/** hand: registered by a call. index: found in the code by `holdfast index`. */
export const ENTITY_ORIGINS = ['hand', 'index'] as const
export type EntityOrigin = (typeof ENTITY_ORIGINS)[number]

export const ENTITY_STATES = ['holds', 'moved', 'gone', 'unknown'] as const
/** holds: where it was registered. moved: elsewhere in the code. gone: no longer in the code. unknown: it could not be looked up. */
export type EntityState = (typeof ENTITY_STATES)[number]

export interface Entity {
  readonly projectId: ProjectId
  readonly name: string
  readonly type: EntityType
  /** Worktree-relative. */
  readonly file: string
  readonly line?: number
  /** When it was last registered, or when the index was made. */
  readonly lastSeenAt: string
}

/** An entity, checked against the code now. */
export interface CheckedEntity extends Entity {
  readonly origin: EntityOrigin
  readonly state: EntityState
  /** Where it is now; only when moved. */
  readonly foundAt?: { readonly file: string; readonly line?: number }
}

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

/** A statement of a summary that disk, git or an observed run does not bear out. */
export interface RefutedClaim {
  readonly claim: string
  readonly because: string
  /** Nothing was observed of it, which does not make it false. */
  readonly isUnobserved?: true | undefined
}

export interface CheckedSummary extends SessionSummary {
  readonly doubts: readonly RefutedClaim[]
}

/** The phases of session-continuity-mcp: the first three design, the last one executes. */
export const SESSION_PHASES = ['MAP', 'ARCHITECT', 'PLAN', 'CODE'] as const
export type SessionPhase = (typeof SESSION_PHASES)[number]

export interface RecordIntentInput extends ProjectRef {
  readonly intent: string
  /** Paths or globs; relative ones are read from `cwd`, else from the project's root. */
  readonly files?: readonly string[]
  /** Generated and returned if absent. */
  readonly sessionLabel?: string
  readonly harness?: string
}

export interface RecordIntentResult {
  readonly project: ResolvedProject
  readonly intent: Intent
  readonly conflicts: readonly IntentConflict[]
}

export interface CompleteIntentInput extends ProjectRef {
  readonly sessionLabel: string
  readonly outcome?: string
}

export interface CompleteIntentResult {
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
  /** Only names that contain this text, ignoring case; the nearest match first. */
  readonly name?: string
  readonly limit: number
}

export interface ForgetEntityInput extends ProjectRef {
  readonly name: string
  /** All types if absent. */
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

export interface SaveSummaryResult {
  readonly project: ResolvedProject
  /** With the claims that are refuted already now. */
  readonly summary: CheckedSummary
  readonly completedIntents: number
}

export interface CheckClaimsInput extends ProjectRef {
  readonly text: string
  /** The author: the files that it edited are checked too. */
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
  /** The caller: its own words are left out, unless a compaction removed some of them from its context. */
  readonly sessionKey?: string
  /** The key's harness; if absent, the latest session with that key. */
  readonly harness?: string
}

export interface HistoryHit {
  readonly kind: HistoryKind
  /** The id in its own store; for Pieces, its docid. */
  readonly id: string
  readonly title: string
  readonly excerpt: string
  /** Absent if the source has no time. */
  readonly at?: string
  /** Comparable within one answer only; larger is better. */
  readonly score: number
}

/** One entry of another program's memory. */
export interface PiecesSession {
  readonly docid: number
  readonly title: string
  readonly source: 'summary' | 'window-titles' | 'error'
}

export interface RecentCheckpoint {
  readonly sessionKey: string
  readonly at: string
  readonly summary: string
  readonly nextAction?: string
  readonly evidence: 'observed' | 'claimed'
}

export interface RecentSessions {
  readonly project: ResolvedProject
  readonly intents: readonly IntentWithLiveness[]
  readonly summaries: readonly CheckedSummary[]
  /** Of sessions that saved no summary. */
  readonly checkpoints: readonly RecentCheckpoint[]
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
  'memories',
  'pieces',
  'entities',
  'task',
] as const
export type BriefingSectionName = (typeof BRIEFING_SECTIONS)[number]

export interface BriefingInput extends ProjectRef {
  readonly sessionLabel?: string
  /** For the whole text, at four characters a token; 6,000 by default. */
  readonly budgetTokens?: number
  /** The session continues after a compaction: in the coding phase the briefing has only the current task. */
  readonly afterCompaction?: boolean
  /** Overrides what is stored for the session. */
  readonly phase?: SessionPhase
}

export interface BriefingSection {
  readonly name: BriefingSectionName
  /** When its content was true. Absent if it is empty. */
  readonly asOf?: string
  /** Its source, for display. */
  readonly origin: string
  readonly isEmpty: boolean
  readonly isCut: boolean
}

export interface SessionBriefing {
  readonly project: ResolvedProject
  readonly generatedAt: string
  /** current-task: after a compaction in the coding phase. */
  readonly mode: 'full' | 'current-task'
  readonly phase?: SessionPhase
  /** The project is not registered: registry, index and keywords may be missing. */
  readonly isDegraded: boolean
  /** Markdown; foreign text is fenced. */
  readonly text: string
  readonly tokens: number
  readonly sections: readonly BriefingSection[]
}

export const CHECKLIST_STATUSES = ['pending', 'in_progress', 'done', 'blocked', 'verified'] as const
export type ChecklistStatus = (typeof CHECKLIST_STATUSES)[number]

export interface ChecklistItem {
  /** Stable when lines above and below change. */
  readonly id: string
  readonly section: string
  readonly text: string
  readonly status: ChecklistStatus
  /** 1-based. */
  readonly line: number
  readonly note?: string
}

/** A ticked item and the observation that contradicts it. */
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
  /** Ticked items, or files that they name, which could not be compared with code. */
  readonly notLookedAt: readonly NotLookedAt[]
}
