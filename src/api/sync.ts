import * as z from 'zod'
import type { SameShape } from '../kernel/json-shape.ts'
import { REFUSALS } from '../sync/sealing.ts'
import { MEMBER_STATES, SPACE_KINDS, type SpaceMember, type SyncSpace, type SyncStatus } from '../sync/use-cases.ts'
import type { Route } from './route.ts'

const space = {
  id: z.string(),
  kind: z.enum(SPACE_KINDS),
  address: z.string(),
  isPlain: z.boolean(),
  addedAt: z.string(),
}
const SpaceSchema = z.object(space)
true satisfies SameShape<z.output<typeof SpaceSchema>, SyncSpace>

const MemberSchema = z.object({
  machine: z.string(),
  name: z.string(),
  state: z.enum(MEMBER_STATES),
  since: z.string(),
})
true satisfies SameShape<z.output<typeof MemberSchema>, SpaceMember>

const SyncStatusSchema = z.object({
  machine: z.object({ id: z.string(), name: z.string() }),
  spaces: z.array(
    z.object({
      ...space,
      isRunning: z.boolean(),
      isWaiting: z.boolean(),
      mayShare: z.boolean(),
      members: z.array(MemberSchema),
      lastExchange: z
        .object({
          at: z.string(),
          isOk: z.boolean(),
          sent: z.number(),
          received: z.number(),
          error: z.string().optional(),
          hint: z.string().optional(),
        })
        .optional(),
      lastSuccessAt: z.string().optional(),
      waitingEvents: z.number(),
      waitingBatches: z.number(),
      refused: z.array(
        z.object({
          machine: z.string(),
          name: z.string().optional(),
          first: z.number(),
          last: z.number(),
          reason: z.string(),
          refusal: z.enum(REFUSALS),
          at: z.string(),
        }),
      ),
    }),
  ),
})
true satisfies SameShape<z.output<typeof SyncStatusSchema>, SyncStatus>

const named = z.string().min(1).max(4_000)

export const SYNC_ROUTES = {
  syncStatus: {
    method: 'GET',
    path: '/api/sync',
    scope: 'read',
    summary: 'The spaces where machines exchange records: members, last exchange, waiting and refused records.',
    reply: SyncStatusSchema,
    useCase: 'sync.syncStatus',
    args: [],
  },
  addSpace: {
    method: 'POST',
    path: '/api/sync/spaces',
    scope: 'admin',
    summary: 'Adds a folder, a folder behind ssh, or a git remote as a space. Nothing is sent yet.',
    body: z.object({
      address: named,
      cwd: named,
      isPlain: z.boolean().optional(),
      isPublicAllowed: z.boolean().optional(),
    }),
    redactedLater: ['address'],
    reply: SpaceSchema,
    useCase: 'sync.addSpace',
  },
  removeSpace: {
    method: 'POST',
    path: '/api/sync/removals',
    scope: 'admin',
    summary: 'Leaves a space, and removes the records that this machine wrote there.',
    body: z.object({ space: named, isKept: z.boolean().optional() }),
    redactedLater: ['space'],
    reply: z.object({ removed: z.number() }),
    useCase: 'sync.removeSpace',
  },
  runSync: {
    method: 'POST',
    path: '/api/sync/runs',
    scope: 'admin',
    summary: 'One exchange now. Answers after `waitMs` even if it is not done.',
    body: z.object({
      space: named.optional(),
      cwd: named.optional(),
      isWaitOnly: z.boolean().optional(),
      waitMs: z.int().min(0).max(20_000).optional(),
    }),
    redactedLater: ['space'],
    reply: z.object({ isDone: z.boolean(), sent: z.number(), received: z.number() }),
    useCase: 'sync.runSync',
  },
  acceptMachine: {
    method: 'POST',
    path: '/api/sync/members',
    scope: 'admin',
    summary: 'Gives the key of a space to a machine that waits for it.',
    body: z.object({ space: named, machine: named }),
    redactedLater: ['space'],
    reply: MemberSchema,
    useCase: 'sync.acceptMachine',
  },
} as const satisfies Readonly<Record<string, Route>>
