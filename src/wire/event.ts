import * as z from 'zod'
import {
  type Decision,
  type ProcessRef,
  type SessionEvent,
  type Todo,
  type ToolCall,
  type ToolOutcome,
} from '../kernel/event.ts'
import { TASK_SESSION_STATES } from '../kernel/task-session-state.ts'
import { EventIdSchema, HarnessSchema, SessionKeySchema } from './fields.ts'
import type { SameShape } from '../kernel/json-shape.ts'

export const ToolKindSchema = z.enum(['read', 'edit', 'search', 'shell', 'todo', 'agent', 'web', 'mcp', 'other'])

export const ProcessRefSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string().optional() })
true satisfies SameShape<z.output<typeof ProcessRefSchema>, ProcessRef>

const base = {
  id: EventIdSchema,
  harness: HarnessSchema,
  harnessVersion: z.string().optional(),
  sessionKey: SessionKeySchema,
  at: z.iso.datetime(),
  door: z.enum(['hook', 'spool', 'transcript', 'cli', 'mcp', 'api']),
  cwd: z.string().optional(),
  transcriptPath: z.string().optional(),
  subagent: z.object({ id: z.string(), type: z.string().optional() }).optional(),
  process: ProcessRefSchema.optional(),
  context: z
    .object({ tokens: z.number().int().nonnegative(), windowTokens: z.number().int().positive().optional() })
    .optional(),
}

const todoStatus = z.enum(['pending', 'in_progress', 'completed'])
export const TodoSchema = z.object({ id: z.string().optional(), text: z.string(), status: todoStatus })
true satisfies SameShape<z.output<typeof TodoSchema>, Todo>

export const FileActionSchema = z.enum(['read', 'created', 'edited', 'deleted'])

const ToolCallSchema = z.object({
  callId: z.string().optional(),
  name: z.string(),
  kind: ToolKindSchema,
  files: z.array(z.object({ path: z.string(), action: FileActionSchema })),
  command: z.string().optional(),
  cwd: z.string().optional(),
  query: z.string().optional(),
  fragment: z.string().optional(),
  names: z.array(z.string()).optional(),
  plan: z.string().optional(),
  todo: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('list'), todos: z.array(TodoSchema) }),
      z.object({ kind: z.literal('add'), id: z.string().optional(), text: z.string() }),
      z.object({
        kind: z.literal('change'),
        id: z.string(),
        text: z.string().optional(),
        status: z.enum([...todoStatus.options, 'deleted']).optional(),
      }),
    ])
    .optional(),
  description: z.string().optional(),
  isBackground: z.boolean().optional(),
})
true satisfies SameShape<z.output<typeof ToolCallSchema>, ToolCall>

const ToolOutcomeSchema = z.object({
  ok: z.boolean(),
  exitStatus: z.number().optional(),
  output: z.string().optional(),
  names: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
  hits: z.record(z.string(), z.number()).optional(),
  plan: z.string().optional(),
  interrupted: z.boolean().optional(),
  refused: z.object({ by: z.enum(['user', 'harness']), words: z.string().optional() }).optional(),
  answers: z.array(z.object({ question: z.string(), options: z.array(z.string()), answer: z.string() })).optional(),
  backgroundId: z.string().optional(),
  durationMs: z.number().optional(),
})
true satisfies SameShape<z.output<typeof ToolOutcomeSchema>, ToolOutcome>

export const decision = {
  decision: z.string(),
  rationale: z.string().optional(),
  alternatives: z.array(z.string()).optional(),
}
const DecisionSchema = z.object(decision)
true satisfies SameShape<z.output<typeof DecisionSchema>, Decision>

export const NoteAuthorSchema = z.enum(['agent', 'user', 'command'])

const compactionTrigger = z.enum(['manual', 'auto'])
export const StartSourceSchema = z.enum(['startup', 'resume', 'clear', 'compact', 'fork'])
export const EndReasonSchema = z.enum(['clear', 'resume', 'logout', 'exit', 'other', 'imported', 'handoff'])

export const SessionEventSchema = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('session-started'),
    source: StartSourceSchema,
    model: z.string().optional(),
    previousSessionKey: SessionKeySchema.optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('prompt-submitted'),
    prompt: z.string(),
    promptId: z.string().optional(),
    isQueued: z.boolean().optional(),
    expansion: z.string().optional(),
  }),
  z.object({ ...base, kind: z.literal('tool-started'), tool: ToolCallSchema }),
  z.object({ ...base, kind: z.literal('tool-finished'), tool: ToolCallSchema, outcome: ToolOutcomeSchema }),
  z.object({ ...base, kind: z.literal('turn-ended'), lastMessage: z.string().optional() }),
  z.object({
    ...base,
    kind: z.literal('compaction-started'),
    trigger: compactionTrigger,
    instructions: z.string().optional(),
    sessionContext: z.string().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('compaction-finished'),
    trigger: compactionTrigger.optional(),
    summary: z.string().optional(),
    tokensBefore: z.number().optional(),
    tokensAfter: z.number().optional(),
  }),
  z.object({ ...base, kind: z.literal('subagent-started') }),
  z.object({ ...base, kind: z.literal('subagent-finished'), lastMessage: z.string().optional() }),
  z.object({ ...base, kind: z.literal('session-ended'), reason: EndReasonSchema }),
  z.object({
    ...base,
    kind: z.literal('digest-written'),
    summary: z.string(),
    nextAction: z.string().optional(),
    waitingFor: z.string().optional(),
    decisions: z.array(DecisionSchema).optional(),
    blockers: z.array(z.string()).optional(),
    name: z.string().optional(),
    author: NoteAuthorSchema.optional(),
    asOfOrder: z.number().int().nonnegative().optional(),
  }),
  z.object({ ...base, kind: z.literal('remembered'), content: z.string(), memoryId: z.string().optional() }),
  z.object({ ...base, kind: z.literal('gate-changed'), task: z.string(), from: z.string().optional(), to: z.string() }),
  z.object({
    ...base,
    kind: z.literal('task-session-changed'),
    task: z.string(),
    taskSession: z.string(),
    state: z.enum(TASK_SESSION_STATES),
    gate: z.string().optional(),
    reason: z.string().optional(),
  }),
  z.object({ ...base, kind: z.literal('decision-made'), ...decision }),
  z.object({ ...base, kind: z.literal('error-recovered'), error: z.string(), resolution: z.string() }),
])
true satisfies SameShape<z.output<typeof SessionEventSchema>, SessionEvent>
