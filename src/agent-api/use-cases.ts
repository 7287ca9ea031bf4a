import type {
  Briefing,
  BriefingInput,
  CheckedEntity,
  ChecklistItem,
  ChecklistView,
  CompleteIntentInput,
  CompletedIntents,
  DoubtInput,
  DoubtedClaim,
  ForgetEntityInput,
  HistoryHit,
  HistoryInput,
  IntentConflict,
  ListEntitiesInput,
  MarkItemInput,
  Project,
  ProjectListing,
  ProjectRef,
  RecentSessions,
  RecordIntentInput,
  RecordedIntent,
  RegisterEntityInput,
  ResolvedProject,
  SaveSummaryInput,
  SavedSummary,
  SessionPhase,
  StandingIntent,
} from '../kernel/agent-records.ts'
import type { ItemRecord } from '../kernel/checklist.ts'

/**
 * The use cases of the agent's door. MCP, CLI and HTTP call these and add no rules of their own; the client over the
 * socket implements the same interface. Every call takes a `ProjectRef` and answers about one canonical project.
 */
export interface AgentUseCases {
  /** Keeps name and root; a known name gets the new root and keeps its keywords. Refuses a root that is no directory. */
  registerProject(input: { readonly name: string; readonly rootPath: string }): Promise<Project>
  /** By name. */
  listProjects(): Promise<readonly ProjectListing[]>
  /** Lower-cased; a known one is a no-op. Refuses an unregistered project. */
  addProjectKeyword(input: ProjectRef & { readonly keyword: string }): Promise<Project>
  /** Exact name, then similar name, then path or directory. Refuses only a name that says nothing without a directory. */
  resolveProject(ref: ProjectRef): Promise<ResolvedProject>

  /** Keeps the intent, and tells whose it meets. */
  recordIntent(input: RecordIntentInput): Promise<RecordedIntent>
  /** Refuses a session without any intent here. */
  completeIntent(input: CompleteIntentInput): Promise<CompletedIntents>
  /** Newest first. */
  listIntents(
    input: ProjectRef & { readonly includeCompleted?: boolean; readonly limit: number },
  ): Promise<readonly StandingIntent[]>
  /** Intents of other live sessions on this path; what a pre-tool hook warns about. */
  findConflicts(
    input: ProjectRef & { readonly files: readonly string[]; readonly sessionLabel?: string },
  ): Promise<readonly IntentConflict[]>

  /** Keeps it under project, name and type; a known one moves. The answer says whether the code has it there. */
  registerEntity(input: RegisterEntityInput): Promise<CheckedEntity>
  /** Those registered by hand first, then the index's, most important first; each looked up in the code as it is now. */
  listEntities(input: ListEntitiesInput): Promise<readonly CheckedEntity[]>
  /** Takes out what was registered by hand under that name. Refuses a name that nobody registered. Returns how many. */
  forgetEntity(input: ForgetEntityInput): Promise<number>

  /** Keeps the summary first; only then completes the intents, when `outcome` says so. */
  saveSummary(input: SaveSummaryInput): Promise<SavedSummary>
  /** What disk, checklist and observed runs say against these words. Keeps nothing. */
  doubt(input: DoubtInput): Promise<readonly DoubtedClaim[]>
  recentSessions(input: ProjectRef & { readonly limit: number }): Promise<RecentSessions>
  /** Own summaries, checkpoints and memories, and Pieces' titles; best first. */
  searchHistory(input: HistoryInput): Promise<readonly HistoryHit[]>

  /** Items and discrepancies of the project's CHECKLIST.md; undefined when there is none. */
  readChecklist(ref: ProjectRef): Promise<ChecklistView | undefined>
  /** Edits CHECKLIST.md itself and runs nothing. Refuses an item that is not there, and `verified`, which needs a command that ran. */
  markItem(input: MarkItemInput): Promise<ChecklistItem>
  /** Keeps, redacted, what was marked or verified where a person could watch it. */
  keepItemRecord(input: ProjectRef & { readonly record: ItemRecord }): Promise<void>
  /** What was marked and verified, oldest first. */
  listItemRecords(ref: ProjectRef): Promise<readonly ItemRecord[]>

  briefing(input: BriefingInput): Promise<Briefing>
  /** Kept for the session, for briefings after a compaction. */
  setPhase(input: { readonly sessionLabel: string; readonly phase: SessionPhase }): Promise<void>
  /** Undefined until it was set. */
  findPhase(sessionLabel: string): Promise<SessionPhase | undefined>
}
