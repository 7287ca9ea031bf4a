import * as z from 'zod'
import {
  BRIEFING_SECTIONS,
  type SessionBriefing,
  type CheckedEntity,
  ENTITY_ORIGINS,
  ENTITY_STATES,
  ENTITY_TYPES,
  type Entity,
  PROJECT_MATCHES,
  type Project,
  type ProjectListing,
  type ResolvedProject,
  SESSION_PHASES,
} from '../kernel/agent-records.ts'
import { MAX_KEY_CHARS } from '../kernel/id.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { NoReply, ProjectIdSchema, limit } from '../wire/fields.ts'
import type { Route } from './route.ts'

export const label = z.string().min(1).max(MAX_KEY_CHARS)
export const path = z.string().min(1).max(4_096)
export const ref = { project: z.string().min(1).max(4_096).optional(), cwd: path.optional() }
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
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

const RegisteredProjectReply = z.object({ project: ProjectSchema })

export const EntitySchema = z.object({
  projectId: ProjectIdSchema,
  name: z.string(),
  type: z.enum(ENTITY_TYPES),
  file: z.string(),
  line: z.number().optional(),
  lastSeenAt: z.string(),
})
true satisfies SameShape<z.output<typeof EntitySchema>, Entity>
const CheckedEntitySchema = EntitySchema.extend({
  origin: z.enum(ENTITY_ORIGINS),
  state: z.enum(ENTITY_STATES),
  foundAt: z.object({ file: z.string(), line: z.number().optional() }).optional(),
})
true satisfies SameShape<z.output<typeof CheckedEntitySchema>, CheckedEntity>

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
true satisfies SameShape<z.output<typeof BriefingSchema>, SessionBriefing>

export const PROJECT_ROUTES = {
  briefing: {
    method: 'GET',
    path: '/api/briefing',
    scope: 'read',
    summary: 'Everything a session needs to know about a project, as Markdown within a token budget.',
    query: z.object({
      ...ref,
      sessionLabel: label.optional(),
      budgetTokens: z.coerce.number().int().min(100).max(200_000).optional(),
      afterCompaction: flag.optional(),
      phase: phase.optional(),
    }),
    reply: z.object({ briefing: BriefingSchema }),
    useCase: 'agent.briefing',
    result: 'briefing',
  },
  listRegisteredProjects: {
    method: 'GET',
    path: '/api/registry',
    scope: 'read',
    summary: 'Registered projects.',
    reply: z.object({ projects: z.array(ProjectListingSchema) }),
    useCase: 'agent.listProjects',
    args: [],
    result: 'projects',
  },
  registerProject: {
    method: 'POST',
    path: '/api/registry',
    scope: 'write',
    summary: 'Registers a project under a name. A known name gets the new root.',
    body: z.object({ name: label, rootPath: path }),
    reply: RegisteredProjectReply,
    useCase: 'agent.registerProject',
    result: 'project',
  },
  addProjectKeyword: {
    method: 'POST',
    path: '/api/registry/keywords',
    scope: 'write',
    summary: 'Adds a keyword to a project.',
    body: z.object({ ...ref, keyword: label }),
    reply: RegisteredProjectReply,
    useCase: 'agent.addProjectKeyword',
    result: 'project',
  },
  resolveProject: {
    method: 'GET',
    path: '/api/registry/resolve',
    scope: 'read',
    summary: 'The project that a name, path or directory refers to.',
    query: ProjectRefQuery,
    reply: z.object({ project: ResolvedProjectSchema }),
    useCase: 'agent.resolveProject',
    result: 'project',
  },
} as const satisfies Readonly<Record<string, Route>>

export const ENTITY_ROUTES = {
  listEntities: {
    method: 'GET',
    path: '/api/entities',
    scope: 'read',
    summary: 'Entities registered by hand or found by the index, each looked up in the code as it is now.',
    query: z.object({
      ...ref,
      type: z.enum(ENTITY_TYPES).optional(),
      name: label.optional(),
      limit: limit(2_000, 200),
    }),
    reply: z.object({ entities: z.array(CheckedEntitySchema) }),
    useCase: 'agent.listEntities',
    result: 'entities',
  },
  registerEntity: {
    method: 'POST',
    path: '/api/entities',
    scope: 'write',
    summary: 'Stores the location of a function, class, endpoint or similar.',
    body: z.object({
      ...ref,
      name: label,
      type: z.enum(ENTITY_TYPES),
      file: path,
      line: z.number().int().min(1).optional(),
    }),
    reply: z.object({ entity: CheckedEntitySchema }),
    useCase: 'agent.registerEntity',
    result: 'entity',
  },
  forgetEntity: {
    method: 'DELETE',
    path: '/api/entities',
    scope: 'write',
    summary: 'Removes the entities that were registered by hand under a name.',
    query: z.object({ ...ref, name: label, type: z.enum(ENTITY_TYPES).optional() }),
    reply: z.object({ forgotten: z.number() }),
    useCase: 'agent.forgetEntity',
    result: 'forgotten',
  },
} as const satisfies Readonly<Record<string, Route>>

export const PHASE_ROUTES = {
  setPhase: {
    method: 'POST',
    path: '/api/phases',
    scope: 'write',
    summary: 'Stores the phase of a session.',
    body: z.object({ sessionLabel: label, phase }),
    reply: NoReply,
    useCase: 'agent.setPhase',
  },
  findPhase: {
    method: 'GET',
    path: '/api/phases/:sessionLabel',
    scope: 'read',
    summary: 'The phase of a session.',
    params: z.object({ sessionLabel: label }),
    reply: z.object({ phase: phase.optional() }),
    useCase: 'agent.findPhase',
    args: ['sessionLabel'],
    result: 'phase',
  },
} as const satisfies Readonly<Record<string, Route>>
