import { HoldfastError } from '../../kernel/errors.ts'
import type { EndReason, EventKind, SessionEvent, CompactionTrigger } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { naturalEventId } from '../payload/event-base.ts'
import { asText, isObject } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { readEnd, readFailure, readNotice, readSuccess } from './outcomes.ts'
import { readToolCall } from './tools.ts'
import { readUserText } from './user-text.ts'

const MAX_SESSION_ID_CHARS = 200

function parseFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function parseDuration(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined
}

function parseTrigger(value: unknown): CompactionTrigger | undefined {
  return value === 'manual' || value === 'auto' ? value : undefined
}

/** An empty field counts as absent: the protocol takes the first spelling that says something. */
function firstText(...values: readonly unknown[]): string | undefined {
  return values.map(asText).find((text) => text !== undefined && text.trim() !== '')
}

function createPayloadError(hook: string, why: string): HoldfastError {
  return new HoldfastError('invalid-input', `Claude Code's ${hook} payload cannot be read: ${why}.`)
}

export type ClaudeCodePayload = ReturnType<typeof readPayload>

/**
 * A field of the wrong type is read as absent: one odd field must not lose the whole event. No schema: this runs before
 * every reply, and reading field by field takes a twentieth of the time.
 */
export function readPayload(hook: string, raw: unknown) {
  if (!isObject(raw)) throw createPayloadError(hook, 'it is not a JSON object')
  // The session continuity protocol allows both spellings; Claude Code sends the first.
  const sessionId = firstText(raw.session_id, raw.sessionId)?.trim() ?? ''
  if (sessionId === '' || sessionId.length > MAX_SESSION_ID_CHARS)
    throw createPayloadError(hook, `session_id is not a text of 1 to ${MAX_SESSION_ID_CHARS} characters`)
  return {
    session_id: sessionId,
    transcript_path: asText(raw.transcript_path),
    cwd: asText(raw.cwd),
    prompt_id: asText(raw.prompt_id),
    agent_id: asText(raw.agent_id),
    agent_type: asText(raw.agent_type),
    source: asText(raw.source),
    model: asText(raw.model),
    prompt: firstText(raw.prompt, raw.user_prompt, raw.userPrompt) ?? asText(raw.prompt),
    tool_name: asText(raw.tool_name),
    tool_input: raw.tool_input,
    tool_response: raw.tool_response,
    tool_use_id: asText(raw.tool_use_id),
    duration_ms: parseDuration(raw.duration_ms),
    error: raw.error,
    is_interrupt: parseFlag(raw.is_interrupt),
    last_assistant_message: asText(raw.last_assistant_message),
    trigger: parseTrigger(raw.trigger),
    custom_instructions: firstText(raw.custom_instructions, raw.customInstructions),
    session_context: firstText(raw.session_context, raw.sessionContext),
    compact_summary: asText(raw.compact_summary),
    reason: asText(raw.reason),
    cursor_version: raw.cursor_version,
  }
}

export const CLAUDE_CODE = 'claude-code'

type ClaudeCodeBase = Omit<SessionEvent, 'kind'>
type ClaudeCodeHookReader = (
  payload: ClaudeCodePayload,
  common: (kind: EventKind, key?: string) => ClaudeCodeBase,
) => SessionEvent | undefined

const START_SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const
const END_REASONS: Readonly<Record<string, EndReason>> = {
  clear: 'clear',
  resume: 'resume',
  logout: 'logout',
  prompt_input_exit: 'exit',
}

/** Sources of prompts that no person wrote or scheduled, such as notices of tasks. */
const MACHINE_SOURCES = new Set(['system', 'poll_event'])

function readCall(payload: ClaudeCodePayload) {
  if (payload.tool_name === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool hook has no tool_name.')
  return readToolCall({
    name: payload.tool_name,
    input: payload.tool_input,
    callId: bounded(payload.tool_use_id, BOUNDS.word),
    response: payload.tool_response,
  })
}

const READERS: Readonly<Record<string, ClaudeCodeHookReader>> = {
  SessionStart(payload, common) {
    const source = START_SOURCES.find((known) => known === payload.source) ?? 'startup'
    const model = bounded(payload.model, BOUNDS.word)
    return { kind: 'session-started', ...common('session-started'), source, ...(model === undefined ? {} : { model }) }
  },
  UserPromptSubmit(payload, common) {
    if (payload.prompt === undefined)
      throw new HoldfastError('invalid-input', 'The payload of UserPromptSubmit has no prompt.')
    const [ended] = readNotice(payload.prompt)
    if (ended !== undefined)
      return { kind: 'tool-finished', ...common('tool-finished', `bg-${ended.id}`), ...readEnd(ended) }
    if (MACHINE_SOURCES.has(payload.source ?? '')) return undefined
    const prompt = boundedPrompt(readUserText(payload.prompt))
    if (prompt === undefined) return undefined
    const promptId = bounded(payload.prompt_id, BOUNDS.word)
    return {
      kind: 'prompt-submitted',
      ...common('prompt-submitted', promptId),
      prompt,
      ...(promptId === undefined ? {} : { promptId }),
    }
  },
  PreToolUse: (payload, common) => ({
    kind: 'tool-started',
    ...common('tool-started', payload.tool_use_id),
    tool: readCall(payload),
  }),
  PostToolUse(payload, common) {
    const tool = readCall(payload)
    const outcome = readSuccess(tool, {
      response: payload.tool_response,
      input: payload.tool_input,
      durationMs: payload.duration_ms,
    })
    return { kind: 'tool-finished', ...common('tool-finished', payload.tool_use_id), tool, outcome }
  },
  PostToolUseFailure(payload, common) {
    const tool = readCall(payload)
    const facts = { interrupted: payload.is_interrupt, durationMs: payload.duration_ms }
    const outcome = readFailure(tool, asText(payload.error), facts)
    return { kind: 'tool-finished', ...common('tool-finished', payload.tool_use_id), tool, outcome }
  },
  Stop(payload, common) {
    const lastMessage = bounded(payload.last_assistant_message, BOUNDS.message)
    return { kind: 'turn-ended', ...common('turn-ended'), ...(lastMessage === undefined ? {} : { lastMessage }) }
  },
  StopFailure: (_payload, common) => ({ kind: 'turn-ended', ...common('turn-ended') }),
  SubagentStart(payload, common) {
    if (!payload.agent_type) return undefined
    return { kind: 'subagent-started', ...common('subagent-started', payload.agent_id) }
  },
  SubagentStop(payload, common) {
    // Claude Code 2.1.325 runs compaction in a fork of the session and reports its end as a subagent without a type.
    if (!payload.agent_type) return undefined
    const lastMessage = bounded(payload.last_assistant_message, BOUNDS.message)
    return {
      kind: 'subagent-finished',
      ...common('subagent-finished', payload.agent_id),
      ...(lastMessage === undefined ? {} : { lastMessage }),
    }
  },
  PreCompact(payload, common) {
    const instructions = bounded(payload.custom_instructions, BOUNDS.message)
    const sessionContext = bounded(payload.session_context, BOUNDS.message)
    return {
      kind: 'compaction-started',
      ...common('compaction-started'),
      trigger: payload.trigger ?? 'auto',
      ...(instructions === undefined ? {} : { instructions }),
      ...(sessionContext === undefined ? {} : { sessionContext }),
    }
  },
  PostCompact(payload, common) {
    const summary = bounded(withoutOwnText(payload.compact_summary ?? ''), BOUNDS.summary)
    return {
      kind: 'compaction-finished',
      ...common('compaction-finished'),
      ...(payload.trigger === undefined ? {} : { trigger: payload.trigger }),
      ...(summary === undefined ? {} : { summary }),
    }
  },
  SessionEnd(payload, common) {
    const known = payload.reason !== undefined && Object.hasOwn(END_REASONS, payload.reason)
    const reason = (known ? END_REASONS[payload.reason ?? ''] : undefined) ?? 'other'
    return { kind: 'session-ended', ...common('session-ended'), reason }
  },
}

function readCommonFields(
  payload: ClaudeCodePayload,
  arrival: Arrival,
): (kind: EventKind, key?: string) => ClaudeCodeBase {
  const sessionKey = SessionKey(payload.session_id.toWellFormed())
  const cwd = boundedPath(payload.cwd)
  const transcriptPath = boundedPath(payload.transcript_path)
  const agentId = bounded(payload.agent_id, BOUNDS.word)
  const agentType = bounded(payload.agent_type, BOUNDS.word)
  const { harnessVersion, at, door, pid, pidStartedAt } = arrival
  const subagent = agentId === undefined ? undefined : { id: agentId, type: agentType }
  const process = pid === undefined ? undefined : { pid, startedAt: pidStartedAt }
  return (kind, key) => {
    const id = naturalEventId(CLAUDE_CODE, sessionKey, kind, key) ?? arrival.id
    return { id, harness: CLAUDE_CODE, harnessVersion, sessionKey, at, door, cwd, transcriptPath, subagent, process }
  }
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const read = readPayload(hook, payload)
  // Cursor also runs the hooks of Claude Code's settings; such a session belongs to Cursor.
  if (read.cursor_version !== undefined) return undefined
  return reader(read, readCommonFields(read, arrival))
}
