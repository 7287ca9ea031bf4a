import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { SessionEvent, ToolCall } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { createEventBase } from '../payload/event-base.ts'
import { readContentText, asNumber, asObject, asText } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { readOutcome } from '../payload/tool-output.ts'

export const CURSOR = 'cursor'

/** The second entry that we install for Cursor's `preCompact`: it has no hook after a compaction (SDK 1.0.32). */
export const AFTER_COMPACT = 'afterCompact'

/** Field names from the code of @cursor/sdk 1.0.32; no payload of the IDE was recorded. */
const CursorPayload = z.looseObject({
  conversation_id: lenientText,
  session_id: lenientText,
  generation_id: lenientText,
  cursor_version: lenientText,
  model: lenientText,
  transcript_path: lenientText,
  workspace_roots: z.array(z.unknown()).catch([]),
  cwd: lenientText,
  prompt: lenientText,
  tool_name: lenientText,
  tool_use_id: lenientText,
  text: lenientText,
  trigger: z.enum(['manual', 'auto']).optional().catch(undefined),
  reason: lenientText,
  subagent_id: lenientText,
  subagent_type: lenientText,
})
type CursorPayload = z.infer<typeof CursorPayload>
type CursorBase = ReturnType<typeof createEventBase>
type CursorHookReader = (payload: CursorPayload, common: CursorBase) => SessionEvent | undefined

function readCall(payload: CursorPayload): ToolCall | undefined {
  const name = payload.tool_name
  if (name === undefined) return undefined
  const input = typeof payload.tool_input === 'string' ? parseJson(payload.tool_input) : payload.tool_input
  const { target_file, ...rest } = asObject(input)
  const callId = bounded(payload.tool_use_id, BOUNDS.word)
  const call = readForeignCall({
    name,
    input: target_file === undefined ? input : { ...rest, path: target_file },
    ...(callId === undefined ? {} : { callId }),
  })
  return /^mcp[:_]/i.test(name) ? { ...call, kind: 'mcp' } : call
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Not JSON: the tool takes plain text.
    return json
  }
}

function readResult(payload: CursorPayload, common: CursorBase, isFailure: boolean): SessionEvent | undefined {
  const tool = readCall(payload)
  if (tool === undefined) return undefined
  const output = typeof payload.tool_output === 'string' ? parseJson(payload.tool_output) : payload.tool_output
  const result = asObject(output)
  const exitStatus = asNumber(result.exitCode) ?? asNumber(result.exit_code)
  const failure = asText(payload.error_message) ?? asText(payload.error)
  const text = failure ?? readContentText(result.content) ?? asText(result.output) ?? asText(output)
  const durationMs = asNumber(payload.duration)
  const outcome = readOutcome(tool.kind, {
    ok: !isFailure && (exitStatus ?? 0) === 0,
    ...(text === undefined ? {} : { text }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
    interrupted: payload.is_interrupt === true,
  })
  return { kind: 'tool-finished', ...common('tool-finished', payload.tool_use_id), tool, outcome }
}

const READERS: Readonly<Record<string, CursorHookReader>> = {
  sessionStart(payload, common) {
    const model = bounded(payload.model, BOUNDS.word)
    return {
      kind: 'session-started',
      ...common('session-started'),
      source: 'startup',
      ...(model === undefined ? {} : { model }),
    }
  },
  beforeSubmitPrompt(payload, common) {
    const prompt = boundedPrompt(withoutOwnText(payload.prompt ?? ''))
    if (prompt === undefined) return undefined
    const promptId = bounded(payload.generation_id, BOUNDS.word)
    return {
      kind: 'prompt-submitted',
      ...common('prompt-submitted', promptId),
      prompt,
      ...(promptId === undefined ? {} : { promptId }),
    }
  },
  preToolUse(payload, common) {
    const tool = readCall(payload)
    return tool === undefined
      ? undefined
      : { kind: 'tool-started', ...common('tool-started', payload.tool_use_id), tool }
  },
  postToolUse: (payload, common) => readResult(payload, common, false),
  postToolUseFailure: (payload, common) => readResult(payload, common, true),
  afterAgentResponse(payload, common) {
    const lastMessage = bounded(withoutOwnText(payload.text ?? ''), BOUNDS.message)
    if (lastMessage === undefined) return undefined
    return { kind: 'turn-ended', ...common('turn-ended', payload.generation_id), lastMessage }
  },
  // Reports the same turn as `afterAgentResponse`; the first of the two counts.
  stop: (payload, common) => ({ kind: 'turn-ended', ...common('turn-ended', payload.generation_id) }),
  preCompact: (payload, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started'),
    trigger: payload.trigger ?? 'auto',
  }),
  [AFTER_COMPACT]: (_payload, common) => ({ kind: 'session-started', ...common('session-started'), source: 'compact' }),
  subagentStart: (payload, common) => ({
    kind: 'subagent-started',
    ...common('subagent-started', payload.subagent_id),
  }),
  subagentStop: (payload, common) => ({
    kind: 'subagent-finished',
    ...common('subagent-finished', payload.subagent_id),
  }),
  sessionEnd: (payload, common) => ({
    kind: 'session-ended',
    ...common('session-ended', 'end'),
    reason: payload.reason === 'user_close' || payload.reason === 'window_close' ? 'exit' : 'other',
  }),
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const result = CursorPayload.safeParse(payload)
  if (!result.success)
    throw new HoldfastError('invalid-input', `Cursor's ${hook} payload cannot be read: it is not an object.`)
  const read = result.data
  const sessionId = read.conversation_id?.trim() || read.session_id?.trim()
  if (!sessionId || sessionId.length > BOUNDS.word) return undefined
  const cwd = boundedPath(read.workspace_roots[0]) ?? read.cwd
  const harnessVersion = bounded(read.cursor_version, BOUNDS.word) ?? arrival.harnessVersion
  const common = createEventBase(
    {
      harness: CURSOR,
      sessionId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(read.transcript_path === undefined ? {} : { transcriptPath: read.transcript_path }),
      ...(read.subagent_id === undefined ? {} : { agentId: read.subagent_id }),
      ...(read.subagent_type === undefined ? {} : { agentType: read.subagent_type }),
    },
    { ...arrival, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(read, common)
}
