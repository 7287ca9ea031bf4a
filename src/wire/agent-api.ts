import * as z from 'zod'
import {
  type BriefingInput,
  type Briefing,
  type CheckedEntity,
  type CheckedSummary,
  type CompletedIntents,
  type CompleteIntentInput,
  type DoubtedClaim,
  type DoubtInput,
  type ForgetEntityInput,
  type HistoryHit,
  type HistoryInput,
  type Intent,
  type IntentConflict,
  type ListEntitiesInput,
  type MarkItemInput,
  type Project,
  type ProjectListing,
  type RecentSessions,
  type RecordedIntent,
  type RecordIntentInput,
  type RegisterEntityInput,
  type ResolvedProject,
  type SavedSummary,
  type SaveSummaryInput,
  type StandingIntent,
  BRIEFING_SECTIONS,
  ENTITY_ORIGINS,
  ENTITY_STATES,
  ENTITY_TYPES,
  HISTORY_KINDS,
  INTENT_STANDINGS,
  PROJECT_MATCHES,
  SESSION_PHASES,
  type ChecklistItem,
  type ChecklistView,
  CHECKLIST_STATUSES,
} from '../kernel/agent-records.ts'
import { MAX_KEY_CHARS } from '../kernel/id.ts'
import { ITEM_STATUSES, type ItemRecord } from '../kernel/checklist.ts'
import { HarnessSchema, ProjectIdSchema, SessionIdSchema } from './id.ts'
import { limit } from './query.ts'
import type { SameShape } from '../kernel/same-shape.ts'

const label = z.string().min(1).max(MAX_KEY_CHARS)
const path = z.string().min(1).max(4_096)
const paths = z.array(path).max(500)
const ref = { project: z.string().min(1).max(4_096).optional(), cwd: path.optional() }
const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
const phase = z.enum(SESSION_PHASES)

const ProjectSchema = z.object({
  name: z.string(),
  rootPath: z.string(),
  projectId: ProjectIdSchema,
  keywords: z.array(z.string()),
  addedAt: z.string(),
})
true satisfies SameShape<z.output<typeof ProjectSchema>, Project>
const ProjectListingSchema = ProjectSchema.extend({ isOnDisk: z.boolean() })
true satisfies SameShape<z.output<typeof ProjectListingSchema>, ProjectListing>

export const ResolvedProjectSchema = z.object({
  name: z.string(),
  rootPath: z.string(),
  worktree: z.string(),
  projectId: ProjectIdSchema,
  keywords: z.array(z.string()),
  isRegistered: z.boolean(),
  isOnDisk: z.boolean(),
  matchedBy: z.enum(PROJECT_MATCHES),
})
true satisfies SameShape<z.output<typeof ResolvedProjectSchema>, ResolvedProject>

export const ProjectRefQuery = z.object(ref)
export const RegisterProjectBody = z.object({ name: label, rootPath: path })
export const RegisteredProjectReply = z.object({ project: ProjectSchema })
export const RegisteredProjectsReply = z.object({ projects: z.array(ProjectListingSchema) })
export const ProjectKeywordBody = z.object({ ...ref, keyword: label })
export const ResolvedProjectReply = z.object({ project: ResolvedProjectSchema })

const IntentSchema = z.object({
  id: z.string(),
  projectId: ProjectIdSchema,
  worktree: z.string(),
  sessionLabel: z.string(),
  sessionId: SessionIdSchema.optional(),
  intent: z.string(),
  files: z.array(z.string()),
  startedAt: z.string(),
  completedAt: z.string().optional(),
  outcome: z.string().optional(),
})
true satisfies SameShape<z.output<typeof IntentSchema>, Intent>
const StandingIntentSchema = IntentSchema.extend({ standing: z.enum(INTENT_STANDINGS) })
true satisfies SameShape<z.output<typeof StandingIntentSchema>, StandingIntent>
const IntentConflictSchema = z.object({
  intent: StandingIntentSchema,
  files: z.array(z.string()),
  isSameWorktree: z.boolean(),
})
true satisfies SameShape<z.output<typeof IntentConflictSchema>, IntentConflict>

export const RecordIntentBody = z.object({
  ...ref,
  intent: z.string().min(1).max(20_000),
  files: paths.optional(),
  sessionLabel: label.optional(),
  harness: HarnessSchema.optional(),
})
true satisfies SameShape<z.output<typeof RecordIntentBody>, RecordIntentInput>
export const RecordIntentReply = z.object({
  project: ResolvedProjectSchema,
  intent: IntentSchema,
  conflicts: z.array(IntentConflictSchema),
})
true satisfies SameShape<z.output<typeof RecordIntentReply>, RecordedIntent>
export const CompleteIntentBody = z.object({
  ...ref,
  sessionLabel: label,
  outcome: z.string().max(20_000).optional(),
})
true satisfies SameShape<z.output<typeof CompleteIntentBody>, CompleteIntentInput>
export const CompleteIntentReply = z.object({
  project: ResolvedProjectSchema,
  intents: z.array(IntentSchema),
  completedNow: z.number(),
})
true satisfies SameShape<z.output<typeof CompleteIntentReply>, CompletedIntents>
export const IntentsQuery = z.object({ ...ref, includeCompleted: flag.optional(), limit: limit(500, 50) })
export const IntentsReply = z.object({ intents: z.array(StandingIntentSchema) })
export const ConflictsBody = z.object({ ...ref, files: paths, sessionLabel: label.optional() })
export const ConflictsReply = z.object({ conflicts: z.array(IntentConflictSchema) })

const EntitySchema = z.object({
  projectId: ProjectIdSchema,
  name: z.string(),
  type: z.enum(ENTITY_TYPES),
  file: z.string(),
  line: z.number().optional(),
  lastSeenAt: z.string(),
  origin: z.enum(ENTITY_ORIGINS),
  state: z.enum(ENTITY_STATES),
  foundAt: z.object({ file: z.string(), line: z.number().optional() }).optional(),
})
true satisfies SameShape<z.output<typeof EntitySchema>, CheckedEntity>
export const RegisterEntityBody = z.object({
  ...ref,
  name: label,
  type: z.enum(ENTITY_TYPES),
  file: path,
  line: z.number().int().min(1).optional(),
})
true satisfies SameShape<z.output<typeof RegisterEntityBody>, RegisterEntityInput>
export const EntityReply = z.object({ entity: EntitySchema })
export const EntitiesQuery = z.object({
  ...ref,
  type: z.enum(ENTITY_TYPES).optional(),
  name: label.optional(),
  limit: limit(2_000, 200),
})
true satisfies SameShape<z.output<typeof EntitiesQuery>, ListEntitiesInput>
export const ForgetEntityQuery = z.object({ ...ref, name: label, type: z.enum(ENTITY_TYPES).optional() })
true satisfies SameShape<z.output<typeof ForgetEntityQuery>, ForgetEntityInput>
export const ForgetEntityReply = z.object({ forgotten: z.number() })
export const EntitiesReply = z.object({ entities: z.array(EntitySchema) })

const DoubtSchema = z.object({ claim: z.string(), because: z.string() })
true satisfies SameShape<z.output<typeof DoubtSchema>, DoubtedClaim>
export const DoubtBody = z.object({
  ...ref,
  text: z.string().min(1).max(200_000),
  sessionId: SessionIdSchema.optional(),
})
true satisfies SameShape<z.output<typeof DoubtBody>, DoubtInput>
export const DoubtReply = z.object({ doubts: z.array(DoubtSchema) })

const SummarySchema = z.object({
  id: z.string(),
  projectId: ProjectIdSchema,
  worktree: z.string(),
  sessionLabel: z.string().optional(),
  sessionId: SessionIdSchema.optional(),
  summary: z.string(),
  filesChanged: z.array(z.string()),
  entitiesRegistered: z.array(z.string()),
  checklistProgress: z.record(z.string(), z.string()),
  savedAt: z.string(),
  doubts: z.array(DoubtSchema),
})
true satisfies SameShape<z.output<typeof SummarySchema>, CheckedSummary>
export const SaveSummaryBody = z.object({
  ...ref,
  summary: z.string().min(1).max(200_000),
  sessionLabel: label.optional(),
  harness: HarnessSchema.optional(),
  filesChanged: paths.optional(),
  entitiesRegistered: z.array(z.string().max(500)).max(500).optional(),
  checklistProgress: z.record(z.string().max(500), z.string().max(500)).optional(),
  outcome: z.string().max(20_000).optional(),
})
true satisfies SameShape<z.output<typeof SaveSummaryBody>, SaveSummaryInput>
export const SaveSummaryReply = z.object({
  project: ResolvedProjectSchema,
  summary: SummarySchema,
  completedIntents: z.number(),
})
true satisfies SameShape<z.output<typeof SaveSummaryReply>, SavedSummary>
export const RecentSessionsQuery = z.object({ ...ref, limit: limit(100, 5) })
export const RecentSessionsReply = z.object({
  project: ResolvedProjectSchema,
  intents: z.array(StandingIntentSchema),
  summaries: z.array(SummarySchema),
  pieces: z.array(z.object({ docid: z.number(), title: z.string(), source: z.enum(['summary', 'window-titles']) })),
})
true satisfies SameShape<z.output<typeof RecentSessionsReply>, RecentSessions>

const HistoryHitSchema = z.object({
  kind: z.enum(HISTORY_KINDS),
  id: z.string(),
  title: z.string(),
  excerpt: z.string(),
  at: z.string().optional(),
  score: z.number(),
})
true satisfies SameShape<z.output<typeof HistoryHitSchema>, HistoryHit>
/** `q` is the text to search for. */
export const HistoryQuery = z
  .object({
    ...ref,
    q: z.string().min(1).max(4_000),
    limit: limit(100, 10),
    /** Who asks: what this session said itself and still sees is left out. */
    sessionKey: label.optional(),
    harness: HarnessSchema.optional(),
  })
  .transform(({ q, ...rest }) => ({ ...rest, text: q }))
true satisfies SameShape<z.output<typeof HistoryQuery>, HistoryInput>
export const HistoryReply = z.object({ hits: z.array(HistoryHitSchema) })

const ChecklistItemSchema = z.object({
  id: z.string(),
  section: z.string(),
  text: z.string(),
  status: z.enum(CHECKLIST_STATUSES),
  line: z.number(),
  note: z.string().optional(),
})
true satisfies SameShape<z.output<typeof ChecklistItemSchema>, ChecklistItem>
const ChecklistSchema = z.object({
  path: z.string(),
  modifiedAt: z.string(),
  items: z.array(ChecklistItemSchema),
  discrepancies: z.array(z.object({ itemId: z.string(), text: z.string(), because: z.string() })),
})
true satisfies SameShape<z.output<typeof ChecklistSchema>, ChecklistView>
/** `checklist` is absent when the project has none. */
export const ChecklistReply = z.object({ checklist: ChecklistSchema.optional() })
// Strict: whoever sends a command to run is told that no route runs one, and not that the item was marked.
export const MarkItemBody = z.strictObject({
  ...ref,
  item: z.string().min(1).max(2_000),
  status: z.enum(CHECKLIST_STATUSES),
  note: z.string().max(4_000).optional(),
  sessionLabel: label.optional(),
})
true satisfies SameShape<z.output<typeof MarkItemBody>, MarkItemInput>
export const MarkItemReply = z.object({ item: ChecklistItemSchema })

const ItemRecordSchema = z.object({
  itemId: z.string().min(1).max(200),
  section: z.string().max(4_000),
  text: z.string().max(8_000),
  status: z.enum(ITEM_STATUSES),
  note: z.string().max(4_000).optional(),
  by: z.string().min(1).max(600),
  at: z.iso.datetime(),
  run: z
    .object({
      command: z.string().max(4_000),
      ok: z.boolean(),
      exitStatus: z.number().optional(),
      endedBy: z.enum(['signal', 'timeout', 'not-started']).optional(),
      expect: z.string().max(4_000).optional(),
      isMatched: z.boolean().optional(),
      output: z.string().max(8_000),
      at: z.iso.datetime(),
      durationMs: z.number(),
    })
    .optional(),
})
true satisfies SameShape<z.output<typeof ItemRecordSchema>, ItemRecord>
export const ItemRecordBody = z.object({ ...ref, record: ItemRecordSchema })
export const ItemRecordsReply = z.object({ records: z.array(ItemRecordSchema) })

export const BriefingQuery = z.object({
  ...ref,
  sessionLabel: label.optional(),
  budgetTokens: z.coerce.number().int().min(100).max(200_000).optional(),
  afterCompaction: flag.optional(),
  phase: phase.optional(),
})
true satisfies SameShape<z.output<typeof BriefingQuery>, BriefingInput>
const BriefingSchema = z.object({
  project: ResolvedProjectSchema,
  generatedAt: z.string(),
  mode: z.enum(['full', 'current-task']),
  phase: phase.optional(),
  isDegraded: z.boolean(),
  text: z.string(),
  tokens: z.number(),
  sections: z.array(
    z.object({
      name: z.enum(BRIEFING_SECTIONS),
      asOf: z.string().optional(),
      origin: z.string(),
      isEmpty: z.boolean(),
      isCut: z.boolean(),
    }),
  ),
})
true satisfies SameShape<z.output<typeof BriefingSchema>, Briefing>
export const BriefingReply = z.object({ briefing: BriefingSchema })

export const SetPhaseBody = z.object({ sessionLabel: label, phase })
export const PhaseParams = z.object({ sessionLabel: label })
/** `phase` is absent until one was set. */
export const PhaseReply = z.object({ phase: phase.optional() })
