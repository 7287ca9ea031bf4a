import { HoldfastError } from '../../kernel/errors.ts'
import type { CompactionTrigger } from '../../kernel/event.ts'
import { isObject, textOf } from '../../kernel/json-shape.ts'

const MAX_SESSION_ID_CHARS = 200

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function durationOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined
}

function triggerOf(value: unknown): CompactionTrigger | undefined {
  return value === 'manual' || value === 'auto' ? value : undefined
}

function refused(hook: string, why: string): HoldfastError {
  return new HoldfastError('invalid-input', `Claude Code's ${hook} payload cannot be read: ${why}.`)
}

export type Payload = ReturnType<typeof readPayload>

/**
 * What a hook was called with. A field of the wrong type reads as absent: one odd field must not cost the whole event. Without a
 * schema: this runs before every answer, and one field after the other takes a twentieth of the time.
 */
export function readPayload(hook: string, raw: unknown) {
  if (!isObject(raw)) throw refused(hook, 'it is no JSON object')
  const sessionId = textOf(raw.session_id)?.trim() ?? ''
  if (sessionId === '' || sessionId.length > MAX_SESSION_ID_CHARS)
    throw refused(hook, `session_id is no text of 1 to ${MAX_SESSION_ID_CHARS} characters`)
  return {
    session_id: sessionId,
    transcript_path: textOf(raw.transcript_path),
    cwd: textOf(raw.cwd),
    prompt_id: textOf(raw.prompt_id),
    agent_id: textOf(raw.agent_id),
    agent_type: textOf(raw.agent_type),
    source: textOf(raw.source),
    model: textOf(raw.model),
    prompt: textOf(raw.prompt),
    tool_name: textOf(raw.tool_name),
    tool_input: raw.tool_input,
    tool_response: raw.tool_response,
    tool_use_id: textOf(raw.tool_use_id),
    duration_ms: durationOf(raw.duration_ms),
    error: raw.error,
    is_interrupt: flagOf(raw.is_interrupt),
    last_assistant_message: textOf(raw.last_assistant_message),
    trigger: triggerOf(raw.trigger),
    custom_instructions: textOf(raw.custom_instructions),
    compact_summary: textOf(raw.compact_summary),
    reason: textOf(raw.reason),
    cursor_version: raw.cursor_version,
  }
}
