import * as z from 'zod'
import { RULE_SCOPES, RULE_SOURCES, RULE_STATES, type Rule } from '../kernel/rule.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { EventIdSchema, ProjectIdSchema, SessionIdSchema } from '../wire/fields.ts'
import { OriginSchema } from '../wire/session.ts'
import { flag } from './projects.ts'
import type { Route } from './route.ts'

export const RuleSchema = z.object({
  id: z.string(),
  projectId: ProjectIdSchema,
  text: z.string(),
  since: z.string(),
  state: z.enum(RULE_STATES),
  source: z.enum(RULE_SOURCES),
  scope: z.enum(RULE_SCOPES),
  sessionId: SessionIdSchema.optional(),
  eventId: EventIdSchema.optional(),
  supersededBy: z.string().optional(),
  retiredAt: z.string().optional(),
  origin: OriginSchema.optional(),
})
true satisfies SameShape<z.output<typeof RuleSchema>, Rule>

const cwd = z.string().min(1)
const text = z.string().min(1).max(2_000)

export const RULE_ROUTES = {
  listRules: {
    method: 'GET',
    path: '/api/rules',
    scope: 'read',
    summary: 'Rules of the user in a project, newest first, and proposed ones.',
    query: z.object({ cwd, includeRetired: flag.optional() }),
    reply: z.object({ rules: z.array(RuleSchema) }),
    useCase: 'continuity.listRules',
    result: 'rules',
  },
  addRule: {
    method: 'POST',
    path: '/api/rules',
    scope: 'write',
    summary: 'Adds a rule, or proposes one.',
    body: z.object({ text, cwd, isProposal: z.boolean().optional() }),
    reply: z.object({ rule: RuleSchema }),
    useCase: 'continuity.addRule',
    result: 'rule',
  },
  changeRule: {
    method: 'POST',
    path: '/api/rules/:id',
    scope: 'write',
    summary: 'Changes the text of a rule, retires it, or puts it in force.',
    params: z.object({ id: z.string().min(1).max(200) }),
    body: z.object({ cwd, text: text.optional(), state: z.enum(['active', 'retired']).optional() }),
    reply: z.object({ rule: RuleSchema }),
    useCase: 'continuity.changeRule',
    result: 'rule',
  },
} as const satisfies Readonly<Record<string, Route>>
