import { RefutedClaimSchema } from './intents.ts'
import * as z from 'zod'
import { MAX_KEY_CHARS } from '../kernel/id.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { LINT_PROBLEMS } from '../named-checkpoint/format/lint.ts'
import { STALE_KINDS } from '../named-checkpoint/format/stale-warnings.ts'
import { type NamedListing, SAVE_ENTRY_POINTS } from '../named-checkpoint/use-cases.ts'
import { CheckpointIdSchema, HarnessSchema } from '../wire/fields.ts'
import { ProjectRefQuery, ResolvedProjectSchema, ref } from './projects.ts'
import type { Route } from './route.ts'

const name = z.string().min(1).max(200)
const text = z.string().max(40_000)
const lines = z.array(text).max(1_000)

const section = z.enum(['progress', 'nextAction', 'blockers', 'decisions', 'context'])

const ListingSchema = z.object({
  name: z.string(),
  path: z.string().optional(),
  savedAt: z.string(),
  task: z.string(),
  nextAction: z.string(),
  branch: z.string().optional(),
  isOurs: z.boolean(),
  score: z.number(),
})
true satisfies SameShape<z.output<typeof ListingSchema>, NamedListing>

const NamedQuery = z.object({ ...ref, name })

export const NAMED_CHECKPOINT_ROUTES = {
  listNamed: {
    method: 'GET',
    path: '/api/named-checkpoints',
    scope: 'read',
    summary: 'Checkpoints that were saved by name in a worktree, newest first.',
    query: ProjectRefQuery,
    reply: z.object({ checkpoints: z.array(ListingSchema) }),
    useCase: 'agent.listNamed',
    result: 'checkpoints',
  },
  saveNamed: {
    method: 'POST',
    path: '/api/named-checkpoints',
    scope: 'project',
    summary: 'Saves the state of the work under a name, as a file of the project and a checkpoint.',
    body: z.object({
      ...ref,
      name,
      door: z.enum(SAVE_ENTRY_POINTS),
      task: text.optional(),
      progress: lines.optional(),
      nextAction: text.optional(),
      waitingFor: text.optional(),
      blockers: lines.optional(),
      decisions: z
        .array(
          z.object({
            decision: text,
            rationale: text.optional(),
            alternatives: z.array(z.string().max(8_000)).optional(),
          }),
        )
        .max(200)
        .optional(),
      context: lines.optional(),
      canReplace: z.boolean().optional(),
      sessionKey: z.string().min(1).max(MAX_KEY_CHARS).optional(),
      harness: HarnessSchema.optional(),
    }),
    reply: z.object({
      project: ResolvedProjectSchema,
      name: z.string(),
      path: z.string(),
      savedAt: z.string(),
      task: z.string(),
      nextAction: z.string(),
      isReplaced: z.boolean(),
      lint: z.object({
        score: z.number(),
        findings: z.array(
          z.object({
            field: z.enum(['task', 'created', ...section.options]),
            problem: z.enum(LINT_PROBLEMS),
            text: z.string(),
            advice: z.string(),
          }),
        ),
      }),
      sessionKey: z.string(),
      isSessionMadeUp: z.boolean(),
      checkpointId: CheckpointIdSchema.optional(),
      doubts: z.array(RefutedClaimSchema),
    }),
    useCase: 'agent.saveNamed',
  },
  resumeNamed: {
    method: 'GET',
    path: '/api/named-checkpoints/resume',
    scope: 'read',
    summary: 'A named checkpoint, and changes since. Executes nothing.',
    query: NamedQuery,
    reply: z.object({
      project: ResolvedProjectSchema,
      name: z.string(),
      path: z.string().optional(),
      savedAt: z.string(),
      isOurs: z.boolean(),
      task: z.string(),
      sections: z.object({
        progress: z.string(),
        nextAction: z.string(),
        blockers: z.string(),
        decisions: z.string(),
        context: z.string(),
      }),
      git: z
        .object({
          branch: z.string().optional(),
          head: z.string().optional(),
          dirty: z.object({ staged: z.number(), unstaged: z.number(), untracked: z.number() }).optional(),
        })
        .optional(),
      files: z.array(z.object({ path: z.string(), hash: z.string().optional() })),
      warnings: z.array(z.object({ kind: z.enum(STALE_KINDS), text: z.string() })),
      confirm: z.enum(['always', 'interactive', 'never']),
    }),
    useCase: 'agent.resumeNamed',
  },
  deleteNamed: {
    method: 'DELETE',
    path: '/api/named-checkpoints',
    scope: 'project',
    summary: 'Deletes a named checkpoint, file and store.',
    query: NamedQuery,
    reply: z.object({ name: z.string(), path: z.string().optional(), stored: z.number() }),
    useCase: 'agent.deleteNamed',
  },
  autosave: {
    method: 'POST',
    path: '/api/named-checkpoints/autosave',
    scope: 'project',
    summary: 'Writes autosave.md unless that was just done; never changes a named checkpoint.',
    body: z.object({ ...ref, reason: z.string().max(400).optional() }),
    reply: z.object({
      isWritten: z.boolean(),
      path: z.string().optional(),
      because: z.string().optional(),
    }),
    useCase: 'agent.autosave',
  },
} as const satisfies Readonly<Record<string, Route>>
