import * as z from 'zod'
import { MAX_KEY_CHARS } from '../kernel/id.ts'
import { LINT_PROBLEMS } from '../named-checkpoint/format/lint.ts'
import { STALE_KINDS } from '../named-checkpoint/format/stale.ts'
import {
  type AutosaveInput,
  type AutosaveOutcome,
  type DeletedNamed,
  type NamedListing,
  type ResumedNamed,
  SAVE_DOORS,
  type SavedNamed,
  type SaveNamedInput,
} from '../named-checkpoint/use-cases.ts'
import { ResolvedProjectSchema } from './agent-api.ts'
import { CheckpointIdSchema, HarnessSchema } from './id.ts'
import type { SameShape } from '../kernel/same-shape.ts'

const name = z.string().min(1).max(200)
const ref = { project: z.string().min(1).max(4_096).optional(), cwd: z.string().min(1).max(4_096).optional() }
const text = z.string().max(40_000)
const lines = z.array(text).max(1_000)

export const SaveNamedBody = z.object({
  ...ref,
  name,
  door: z.enum(SAVE_DOORS),
  task: text.optional(),
  progress: lines.optional(),
  nextAction: text.optional(),
  waitingFor: text.optional(),
  blockers: lines.optional(),
  decisions: z
    .array(
      z.object({ decision: text, rationale: text.optional(), alternatives: z.array(z.string().max(8_000)).optional() }),
    )
    .max(200)
    .optional(),
  context: lines.optional(),
  canReplace: z.boolean().optional(),
  sessionKey: z.string().min(1).max(MAX_KEY_CHARS).optional(),
  harness: HarnessSchema.optional(),
})
true satisfies SameShape<z.output<typeof SaveNamedBody>, SaveNamedInput>

const section = z.enum(['progress', 'nextAction', 'blockers', 'decisions', 'context'])
export const SaveNamedReply = z.object({
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
  doubts: z.array(z.object({ claim: z.string(), because: z.string() })),
})
true satisfies SameShape<z.output<typeof SaveNamedReply>, SavedNamed>

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
export const NamedListReply = z.object({ checkpoints: z.array(ListingSchema) })

export const NamedQuery = z.object({ ...ref, name })
export const ResumeNamedReply = z.object({
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
})
true satisfies SameShape<z.output<typeof ResumeNamedReply>, ResumedNamed>

export const DeleteNamedReply = z.object({ name: z.string(), path: z.string().optional(), stored: z.number() })
true satisfies SameShape<z.output<typeof DeleteNamedReply>, DeletedNamed>

export const AutosaveBody = z.object({ ...ref, reason: z.string().max(400).optional() })
true satisfies SameShape<z.output<typeof AutosaveBody>, AutosaveInput>
export const AutosaveReply = z.object({
  isWritten: z.boolean(),
  path: z.string().optional(),
  because: z.string().optional(),
})
true satisfies SameShape<z.output<typeof AutosaveReply>, AutosaveOutcome>
