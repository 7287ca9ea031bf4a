import * as z from 'zod'
import {
  type CheckedSummary,
  HISTORY_KINDS,
  type HistoryHit,
  INTENT_LIVENESS,
  type Intent,
  type IntentConflict,
  type IntentWithLiveness,
  type ObservedEdit,
  type RefutedClaim,
} from '../kernel/agent-records.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { HarnessSchema, ProjectIdSchema, SessionIdSchema, SessionKeySchema, limit } from '../wire/fields.ts'
import { flag, ResolvedProjectSchema, label, path, ref } from './projects.ts'
import type { Route } from './route.ts'

const paths = z.array(path).max(500)
export const IntentSchema = z.object({
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
const StandingIntentSchema = IntentSchema.extend({ standing: z.enum(INTENT_LIVENESS) })
true satisfies SameShape<z.output<typeof StandingIntentSchema>, IntentWithLiveness>
const IntentConflictSchema = z.object({
  intent: StandingIntentSchema,
  files: z.array(z.string()),
  isSameWorktree: z.boolean(),
})
true satisfies SameShape<z.output<typeof IntentConflictSchema>, IntentConflict>

const ObservedEditSchema = z.object({
  file: z.string(),
  sessionId: SessionIdSchema,
  sessionKey: SessionKeySchema,
  harness: z.string(),
  title: z.string().optional(),
  worktree: z.string(),
  branch: z.string().optional(),
  edits: z.number(),
  lastEditAt: z.string(),
})
true satisfies SameShape<z.output<typeof ObservedEditSchema>, ObservedEdit>

export const RefutedClaimSchema = z.object({
  claim: z.string(),
  because: z.string(),
  isUnobserved: z.literal(true).optional(),
})
true satisfies SameShape<z.output<typeof RefutedClaimSchema>, RefutedClaim>

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
  doubts: z.array(RefutedClaimSchema),
})
true satisfies SameShape<z.output<typeof SummarySchema>, CheckedSummary>

const HistoryHitSchema = z.object({
  kind: z.enum(HISTORY_KINDS),
  id: z.string(),
  title: z.string(),
  excerpt: z.string(),
  at: z.string().optional(),
  score: z.number(),
})
true satisfies SameShape<z.output<typeof HistoryHitSchema>, HistoryHit>

const offset = z.coerce.number().int().min(0).optional()

export const INTENT_ROUTES = {
  listIntents: {
    method: 'GET',
    path: '/api/intents',
    scope: 'read',
    summary: 'Intents of sessions, newest first, each with its liveness.',
    query: z.object({ ...ref, includeCompleted: flag.optional(), limit: limit(500, 50), offset }),
    reply: z.object({ intents: z.array(StandingIntentSchema) }),
    useCase: 'agent.listIntents',
    result: 'intents',
  },
  recordIntent: {
    method: 'POST',
    path: '/api/intents',
    scope: 'write',
    summary: 'Stores what a session intends to do, and returns conflicting intents of others.',
    body: z.object({
      ...ref,
      intent: z.string().min(1).max(20_000),
      files: paths.optional(),
      sessionLabel: label.optional(),
      harness: HarnessSchema.optional(),
    }),
    reply: z.object({
      project: ResolvedProjectSchema,
      intent: IntentSchema,
      conflicts: z.array(IntentConflictSchema),
    }),
    useCase: 'agent.recordIntent',
  },
  completeIntent: {
    method: 'POST',
    path: '/api/intents/completed',
    scope: 'write',
    summary: "Completes a session's open intents.",
    body: z.object({
      ...ref,
      sessionLabel: label,
      outcome: z.string().max(20_000).optional(),
    }),
    reply: z.object({
      project: ResolvedProjectSchema,
      intents: z.array(IntentSchema),
      completedNow: z.number(),
    }),
    useCase: 'agent.completeIntent',
  },
  findConflicts: {
    method: 'POST',
    path: '/api/intents/conflicts',
    scope: 'write',
    summary: 'Open intents of other sessions on these files; stores nothing.',
    body: z.object({ ...ref, files: paths, sessionLabel: label.optional() }),
    reply: z.object({ conflicts: z.array(IntentConflictSchema) }),
    useCase: 'agent.findConflicts',
    result: 'conflicts',
  },
  listObservedEdits: {
    method: 'GET',
    path: '/api/observed-edits',
    scope: 'read',
    summary: 'Files that live sessions of the project were seen to change, latest edit first.',
    query: z.object({ ...ref }),
    reply: z.object({ edits: z.array(ObservedEditSchema) }),
    useCase: 'agent.listObservedEdits',
    result: 'edits',
  },
} as const satisfies Readonly<Record<string, Route>>

export const SUMMARY_ROUTES = {
  saveSummary: {
    method: 'POST',
    path: '/api/summaries',
    scope: 'write',
    summary: "Stores a session's summary, then completes its intents when an outcome is given.",
    body: z.object({
      ...ref,
      summary: z.string().min(1).max(200_000),
      sessionLabel: label.optional(),
      harness: HarnessSchema.optional(),
      filesChanged: paths.optional(),
      entitiesRegistered: z.array(z.string().max(500)).max(500).optional(),
      checklistProgress: z.record(z.string().max(500), z.string().max(500)).optional(),
      outcome: z.string().max(20_000).optional(),
    }),
    reply: z.object({
      project: ResolvedProjectSchema,
      summary: SummarySchema,
      completedIntents: z.number(),
    }),
    useCase: 'agent.saveSummary',
  },
  doubt: {
    method: 'POST',
    path: '/api/summaries/doubts',
    scope: 'write',
    summary: 'Claims in a text that disk, checklist or observed runs refute; stores nothing.',
    body: z.object({
      ...ref,
      text: z.string().min(1).max(200_000),
      sessionId: SessionIdSchema.optional(),
    }),
    reply: z.object({ doubts: z.array(RefutedClaimSchema) }),
    useCase: 'agent.checkClaims',
    result: 'doubts',
  },
  recentSessions: {
    method: 'GET',
    path: '/api/summaries/recent',
    scope: 'read',
    summary:
      'Recent intents, summaries with their refuted claims, the last checkpoint of sessions without one, and Pieces titles.',
    query: z.object({ ...ref, limit: limit(100, 5), offset }),
    reply: z.object({
      project: ResolvedProjectSchema,
      intents: z.array(StandingIntentSchema),
      summaries: z.array(SummarySchema),
      checkpoints: z.array(
        z.object({
          sessionKey: z.string(),
          at: z.string(),
          summary: z.string(),
          nextAction: z.string().optional(),
          evidence: z.enum(['observed', 'claimed']),
        }),
      ),
      pieces: z.array(
        z.object({ docid: z.number(), title: z.string(), source: z.enum(['summary', 'window-titles', 'error']) }),
      ),
    }),
    useCase: 'agent.recentSessions',
  },
  searchHistory: {
    method: 'GET',
    path: '/api/history/search',
    scope: 'read',
    summary: "Search over summaries, checkpoints, memories and Pieces' titles, best first.",
    query: z
      .object({
        ...ref,
        q: z.string().min(1).max(4_000),
        limit: limit(100, 10),
        /** The calling session: its own statements, which its context still has, are left out. */
        sessionKey: label.optional(),
        harness: HarnessSchema.optional(),
      })
      .transform(({ q, ...rest }) => ({ ...rest, text: q })),
    reply: z.object({ hits: z.array(HistoryHitSchema) }),
    useCase: 'agent.searchHistory',
    sentAs: { text: 'q' },
    result: 'hits',
  },
} as const satisfies Readonly<Record<string, Route>>
