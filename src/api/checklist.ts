import * as z from 'zod'
import { CHECKLIST_STATUSES, type ChecklistItem, type ChecklistView } from '../kernel/agent-records.ts'
import { ITEM_STATUSES, type ItemRecord } from '../kernel/checklist.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { NoReply } from '../wire/fields.ts'
import { ProjectRefQuery, label, ref } from './projects.ts'
import type { Route } from './route.ts'

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
  notLookedAt: z.array(z.object({ itemId: z.string(), text: z.string(), because: z.string() })),
})
true satisfies SameShape<z.output<typeof ChecklistSchema>, ChecklistView>

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

export const CHECKLIST_ROUTES = {
  readChecklist: {
    method: 'GET',
    path: '/api/checklist',
    scope: 'read',
    summary: "The project's CHECKLIST.md, with the ticked items that look unfinished.",
    query: ProjectRefQuery,
    reply: z.object({ checklist: ChecklistSchema.optional() }),
    useCase: 'agent.readChecklist',
    result: 'checklist',
  },
  markItem: {
    method: 'POST',
    path: '/api/checklist/items',
    scope: 'project',
    summary: 'Marks an item in CHECKLIST.md itself.',
    // Strict: a caller that sends a command gets an error, because no route runs commands.
    body: z.strictObject({
      ...ref,
      item: z.string().min(1).max(2_000),
      status: z.enum(CHECKLIST_STATUSES),
      note: z.string().max(4_000).optional(),
      sessionLabel: label.optional(),
    }),
    redactedLater: ['verification'],
    reply: z.object({ item: ChecklistItemSchema }),
    useCase: 'agent.markItem',
    result: 'item',
  },
  listItemRecords: {
    method: 'GET',
    path: '/api/checklist/records',
    scope: 'read',
    summary: 'Marks and verifications of checklist items, with author and outcome, oldest first.',
    query: ProjectRefQuery,
    reply: z.object({ records: z.array(ItemRecordSchema) }),
    useCase: 'agent.listItemRecords',
    result: 'records',
  },
  keepItemRecord: {
    method: 'POST',
    path: '/api/checklist/records',
    scope: 'project',
    summary: 'Stores that an item was marked, or that a verification ran for it.',
    body: z.object({ ...ref, record: ItemRecordSchema }),
    redactedEach: ['record'],
    reply: NoReply,
    useCase: 'agent.saveItemRecord',
  },
} as const satisfies Readonly<Record<string, Route>>
