import { GENERIC_EVENTS, type GenericEvent } from '../descriptor/generic-events.ts'
import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { SessionEvent, ToolCall } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { readContextMeasure } from '../payload/context-measure.ts'
import { hookCommon } from '../payload/hook-facts.ts'
import { lenientText } from '../payload/lenient.ts'
import { withoutOwnText } from '../payload/own-text.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { readOutcome } from '../payload/tool-output.ts'

export const GENERIC = 'generic'

const count = z.number().nonnegative().optional().catch(undefined)
const tokens = z.number().int().nonnegative().optional().catch(undefined)

/** The page of JSON that docs/generic-harness.md describes; everything but `session` may be left out. */
const Payload = z.object({
  session: z.string().trim().min(1).max(150),
  harness: lenientText,
  version: lenientText,
  cwd: lenientText,
  id: lenientText,
  agent: z
    .object({ id: z.string().min(1), type: lenientText })
    .optional()
    .catch(undefined),
  source: z.enum(['startup', 'resume', 'clear', 'compact', 'fork']).catch('startup'),
  previous: lenientText,
  model: lenientText,
  prompt: lenientText,
  tool: z
    .object({ name: z.string().min(1), input: z.unknown().optional() })
    .optional()
    .catch(undefined),
  ok: z.boolean().optional().catch(undefined),
  output: lenientText,
  exitStatus: z.number().int().optional().catch(undefined),
  durationMs: count,
  message: lenientText,
  trigger: z.enum(['manual', 'auto']).catch('auto'),
  summary: lenientText,
  tokensBefore: tokens,
  tokensAfter: tokens,
  contextTokens: tokens,
  contextWindowTokens: tokens,
  reason: z.enum(['clear', 'resume', 'logout', 'exit', 'other']).catch('other'),
})
type Payload = z.infer<typeof Payload>
type Common = ReturnType<typeof hookCommon>
type Reader = (payload: Payload, common: Common) => SessionEvent | undefined

function callOf({ tool, id }: Payload): ToolCall {
  if (tool === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool event has no tool with a name.')
  const callId = bounded(id, BOUNDS.word)
  return readForeignCall({ name: tool.name, input: tool.input, ...(callId === undefined ? {} : { callId }) })
}

function words(said: string | undefined, maxChars: number): string | undefined {
  return bounded(withoutOwnText(said ?? ''), maxChars)
}

const READERS: Readonly<Record<GenericEvent, Reader>> = {
  'session-started'({ source, model, previous, id }, common) {
    const [name, before] = [bounded(model, BOUNDS.word), bounded(previous, BOUNDS.word)]
    return {
      kind: 'session-started',
      ...common('session-started', id),
      source,
      ...(name === undefined ? {} : { model: name }),
      ...(before === undefined ? {} : { previousSessionKey: SessionKey(before) }),
    }
  },
  'prompt-submitted'(payload, common) {
    const prompt = boundedPrompt(withoutOwnText(payload.prompt ?? ''))
    if (prompt === undefined) return undefined
    const promptId = bounded(payload.id, BOUNDS.word)
    const known = promptId === undefined ? {} : { promptId }
    return { kind: 'prompt-submitted', ...common('prompt-submitted', promptId), prompt, ...known }
  },
  'tool-started': (payload, common) => ({
    kind: 'tool-started',
    ...common('tool-started', payload.id),
    tool: callOf(payload),
  }),
  'tool-finished'(payload, common) {
    const tool = callOf(payload)
    const { output, exitStatus, durationMs } = payload
    const outcome = readOutcome(tool.kind, {
      ok: (payload.ok ?? true) && (exitStatus ?? 0) === 0,
      ...(output === undefined ? {} : { text: output }),
      ...(exitStatus === undefined ? {} : { exitStatus }),
      ...(durationMs === undefined ? {} : { durationMs }),
    })
    return { kind: 'tool-finished', ...common('tool-finished', payload.id), tool, outcome }
  },
  'turn-ended'({ message, id }, common) {
    const lastMessage = words(message, BOUNDS.message)
    return { kind: 'turn-ended', ...common('turn-ended', id), ...(lastMessage === undefined ? {} : { lastMessage }) }
  },
  'compaction-started': ({ trigger, id }, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started', id),
    trigger,
  }),
  'compaction-finished'({ trigger, summary, tokensBefore, tokensAfter, id }, common) {
    const said = words(summary, BOUNDS.summary)
    return {
      kind: 'compaction-finished',
      ...common('compaction-finished', id),
      trigger,
      ...(said === undefined ? {} : { summary: said }),
      ...(tokensBefore === undefined ? {} : { tokensBefore }),
      ...(tokensAfter === undefined ? {} : { tokensAfter }),
    }
  },
  'subagent-started': ({ agent }, common) =>
    agent === undefined ? undefined : { kind: 'subagent-started', ...common('subagent-started', agent.id) },
  'subagent-finished'({ agent, message }, common) {
    const lastMessage = words(message, BOUNDS.message)
    const said = lastMessage === undefined ? {} : { lastMessage }
    return agent === undefined
      ? undefined
      : { kind: 'subagent-finished', ...common('subagent-finished', agent.id), ...said }
  },
  'session-ended': ({ reason, id }, common) => ({ kind: 'session-ended', ...common('session-ended', id), reason }),
}

export function readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined {
  const known = GENERIC_EVENTS.find((event) => event === hook)
  const reader = known === undefined ? undefined : READERS[known]
  if (reader === undefined) return undefined
  const result = Payload.safeParse(payload)
  if (!result.success) {
    const [issue] = result.error.issues
    const where = issue?.path.join('.') || 'the payload'
    throw new HoldfastError('invalid-input', `A generic ${hook} payload cannot be read: ${where}: ${issue?.message}.`, {
      hint: 'docs/generic-harness.md has the fields.',
    })
  }
  const { session, harness, version, cwd, agent, contextTokens, contextWindowTokens } = result.data
  // Two harnesses of this kind may number their sessions alike.
  const name = harness !== undefined && /^[\w.-]{1,40}$/.test(harness) ? `${harness}:` : ''
  const harnessVersion = bounded(version, BOUNDS.word) ?? receipt.harnessVersion
  const common = hookCommon(
    {
      harness: GENERIC,
      sessionId: `${name}${session}`,
      ...(cwd === undefined ? {} : { cwd }),
      ...(agent === undefined
        ? {}
        : { agentId: agent.id, ...(agent.type === undefined ? {} : { agentType: agent.type }) }),
      context: readContextMeasure(contextTokens, contextWindowTokens),
    },
    { ...receipt, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(result.data, common)
}
