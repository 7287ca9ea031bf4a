import * as z from 'zod'
import type { DirtySummary, Place } from '../kernel/project.ts'
import { ProjectIdSchema } from './id.ts'
import type { SameShape } from '../kernel/same-shape.ts'

export const PlaceSchema = z.object({
  projectId: ProjectIdSchema,
  project: z.string(),
  projectNormalized: z.string(),
  remote: z.string().optional(),
  worktree: z.string(),
  formerWorktree: z.string().optional(),
  branch: z.string().optional(),
  head: z.string().optional(),
})
true satisfies SameShape<z.output<typeof PlaceSchema>, Place>

export const DirtySummarySchema = z.object({
  staged: z.number(),
  unstaged: z.number(),
  untracked: z.number(),
  paths: z.array(z.string()),
})
true satisfies SameShape<z.output<typeof DirtySummarySchema>, DirtySummary>

export const PlaceReply = z.object({ place: PlaceSchema })
export const CwdQuery = z.object({ cwd: z.string().min(1) })

/** A repository with sessions that we know of. */
const ProjectSchema = z.object({
  projectId: ProjectIdSchema,
  project: z.string(),
  projectNormalized: z.string(),
  worktrees: z.array(z.string()),
  sessions: z.number().int(),
  lastEventAt: z.string(),
})
export const ProjectsReply = z.object({ projects: z.array(ProjectSchema) })
