import * as z from 'zod'
import type { SameShape } from '../kernel/json-shape.ts'
import type { TeamOverview } from '../find/use-cases.ts'
import type { TeamSession } from '../recovery/choice/team-work.ts'
import { HarnessSchema, limit, SessionKeySchema } from '../wire/fields.ts'
import { SessionSchema } from '../wire/session.ts'
import { MemorySchema } from './memories.ts'
import type { Route } from './route.ts'

const TeamSessionSchema = z.object({
  session: SessionSchema,
  machine: z.string(),
  author: z.string().optional(),
  mayStillRun: z.boolean(),
  isTaken: z.boolean(),
})
true satisfies SameShape<z.output<typeof TeamSessionSchema>, TeamSession>

const TeamOverviewSchema = z.object({
  people: z.array(z.object({ id: z.string(), name: z.string(), isYou: z.boolean(), sharedMemories: z.number() })),
  machines: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      person: z.string(),
      isHere: z.boolean(),
      keyFingerprint: z.string().optional(),
      sessions: z.number(),
      lastActiveAt: z.string().optional(),
    }),
  ),
  shared: z.array(
    z.object({
      memory: MemorySchema,
      author: z.string(),
      machine: z.string(),
      folder: z.string().optional(),
      isHere: z.boolean(),
    }),
  ),
})
true satisfies SameShape<z.output<typeof TeamOverviewSchema>, TeamOverview>

const cwd = z.string().min(1)

export const TEAM_WORK_ROUTES = {
  readTeam: {
    method: 'GET',
    path: '/api/team',
    scope: 'read',
    summary: 'People, machines with their keys, and shared memories, as far as this store knows them.',
    args: [],
    reply: TeamOverviewSchema,
    useCase: 'continuity.readTeam',
  },
  listTeamSessions: {
    method: 'GET',
    path: '/api/team-sessions',
    scope: 'read',
    summary: 'Sessions of the repository of a directory on other machines, newest first.',
    query: z.object({ cwd, limit: limit(40, 20) }),
    reply: z.object({ sessions: z.array(TeamSessionSchema) }),
    useCase: 'continuity.listTeamSessions',
    result: 'sessions',
  },
  takeWork: {
    method: 'POST',
    path: '/api/taken-work',
    scope: 'write',
    summary: 'The next session in a worktree continues this session.',
    body: z.object({ cwd, sessionKey: SessionKeySchema, harness: HarnessSchema.optional() }),
    reply: z.object({ taken: TeamSessionSchema }),
    useCase: 'continuity.takeWork',
    result: 'taken',
  },
  undoTakeWork: {
    method: 'POST',
    path: '/api/taken-work/undo',
    scope: 'write',
    summary: 'Cancels `takeWork`: the next session in a worktree continues its own earlier work.',
    body: z.object({ cwd }),
    reply: z.object({ wasTaken: z.boolean() }),
    useCase: 'continuity.undoTakeWork',
    result: 'wasTaken',
  },
} as const satisfies Readonly<Record<string, Route>>
