import { DESCRIPTOR_FIELDS, type HarnessDescriptor } from '../descriptor/descriptor.ts'
import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { HARNESS_EVENT_KINDS, type SessionEvent, type ToolCall } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPrompt, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { readContextMeasure, createEventBase } from '../payload/event-base.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { readOutcome } from '../payload/tool-output.ts'
import { readContentText, isObject, type JsonObject, asObject } from '../../kernel/json-shape.ts'

function at(value: unknown, steps: string): unknown {
  return steps
    .split('.')
    .reduce<unknown>((inner, step) => (isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined), value)
}

/** The value of a field; under our own name where the descriptor does not locate it. */
function find(descriptor: HarnessDescriptor, field: string, payload: unknown): unknown {
  const places = [descriptor.fields[field] ?? field].flat()
  return places.map((steps) => at(payload, steps)).find((value) => value !== undefined && value !== null)
}

function translateValue(descriptor: HarnessDescriptor, field: string, value: unknown): unknown {
  const known = descriptor.values[field]
  const word = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? String(value) : ''
  if (known !== undefined && Object.hasOwn(known, word)) return known[word]
  // Results may be objects; only their text counts.
  if (field === 'output' && typeof value === 'object') return readContentText(value) ?? JSON.stringify(value)
  return value
}

function put(into: Record<string, unknown>, field: string, value: unknown): void {
  const [outer = field, inner] = field.split('.')
  into[outer] = inner === undefined ? value : { ...asObject(into[outer]), [inner]: value }
}

/** Translates a harness's payload for one of its hooks to the payload of docs/generic-harness.md. */
export function translate(descriptor: HarnessDescriptor, hook: string | undefined, payload: unknown): JsonObject {
  const ours: Record<string, unknown> = { harness: descriptor.name }
  for (const field of DESCRIPTOR_FIELDS) {
    const value = find(descriptor, field, payload)
    if (value !== undefined) put(ours, field, translateValue(descriptor, field, value))
  }
  const mapping = hook === undefined ? undefined : descriptor.hooks?.events[hook]
  const always = typeof mapping === 'object' ? mapping.with : {}
  for (const [field, value] of Object.entries(always)) put(ours, field, value)
  return ours
}

/** Renders an answer with the descriptor's template. */
export function fill(template: unknown, withoutInjections: { readonly text: string; readonly hook: string }): string {
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replaceAll(/\$(text|hook)/g, (_, name: string) =>
        name === 'text' ? withoutInjections.text : withoutInjections.hook,
      )
    if (Array.isArray(value)) return value.map(filled)
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one)])) : value
  }
  return typeof template === 'string' ? String(filled(template)) : JSON.stringify(filled(template))
}

export const GENERIC = 'generic'

const count = z.number().nonnegative().optional().catch(undefined)
const tokens = z.number().int().nonnegative().optional().catch(undefined)

/** The payload that docs/generic-harness.md describes; everything but `session` is optional. */
const GenericPayload = z.object({
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
  instructions: lenientText,
  sessionContext: lenientText,
  summary: lenientText,
  tokensBefore: tokens,
  tokensAfter: tokens,
  contextTokens: tokens,
  contextWindowTokens: tokens,
  reason: z.enum(['clear', 'resume', 'logout', 'exit', 'other']).catch('other'),
})
type GenericPayload = z.infer<typeof GenericPayload>
type GenericBase = ReturnType<typeof createEventBase>
type GenericHookReader = (payload: GenericPayload, common: GenericBase) => SessionEvent | undefined

function readCall({ tool, id }: GenericPayload): ToolCall {
  if (tool === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool event has no tool with a name.')
  const callId = bounded(id, BOUNDS.word)
  return readForeignCall({ name: tool.name, input: tool.input, ...(callId === undefined ? {} : { callId }) })
}

function withoutInjections(said: string | undefined, maxChars: number): string | undefined {
  return bounded(withoutOwnText(said ?? ''), maxChars)
}

const READERS: Readonly<Record<(typeof HARNESS_EVENT_KINDS)[number], GenericHookReader>> = {
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
    tool: readCall(payload),
  }),
  'tool-finished'(payload, common) {
    const tool = readCall(payload)
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
    const lastMessage = withoutInjections(message, BOUNDS.message)
    return { kind: 'turn-ended', ...common('turn-ended', id), ...(lastMessage === undefined ? {} : { lastMessage }) }
  },
  'compaction-started'(payload, common) {
    const [instructions, sessionContext] = [payload.instructions, payload.sessionContext].map((text) =>
      bounded(text, BOUNDS.message),
    )
    return {
      kind: 'compaction-started',
      ...common('compaction-started', payload.id),
      trigger: payload.trigger,
      ...(instructions === undefined ? {} : { instructions }),
      ...(sessionContext === undefined ? {} : { sessionContext }),
    }
  },
  'compaction-finished'({ trigger, summary, tokensBefore, tokensAfter, id }, common) {
    const said = withoutInjections(summary, BOUNDS.summary)
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
    const lastMessage = withoutInjections(message, BOUNDS.message)
    const said = lastMessage === undefined ? {} : { lastMessage }
    return agent === undefined
      ? undefined
      : { kind: 'subagent-finished', ...common('subagent-finished', agent.id), ...said }
  },
  'session-ended': ({ reason, id }, common) => ({ kind: 'session-ended', ...common('session-ended', id), reason }),
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const known = HARNESS_EVENT_KINDS.find((event) => event === hook)
  const reader = known === undefined ? undefined : READERS[known]
  if (reader === undefined) return undefined
  const result = GenericPayload.safeParse(payload)
  if (!result.success) {
    const [issue] = result.error.issues
    const where = issue?.path.join('.') || 'the payload'
    throw new HoldfastError('invalid-input', `A generic ${hook} payload cannot be read: ${where}: ${issue?.message}.`, {
      hint: 'docs/generic-harness.md describes the fields.',
    })
  }
  const { session, harness, version, cwd, agent, contextTokens, contextWindowTokens } = result.data
  // Two generic harnesses may use the same session ids.
  const name = harness !== undefined && /^[\w.-]{1,40}$/.test(harness) ? `${harness}:` : ''
  const harnessVersion = bounded(version, BOUNDS.word) ?? arrival.harnessVersion
  const common = createEventBase(
    {
      harness: GENERIC,
      sessionId: `${name}${session}`,
      ...(cwd === undefined ? {} : { cwd }),
      ...(agent === undefined
        ? {}
        : { agentId: agent.id, ...(agent.type === undefined ? {} : { agentType: agent.type }) }),
      context: readContextMeasure(contextTokens, contextWindowTokens),
    },
    { ...arrival, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(result.data, common)
}
