import { HoldfastError } from '../../kernel/errors.ts'
import type { EndReason, EventKind, SessionEvent } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt } from '../payload/bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { naturalEventId } from '../payload/event-id.ts'
import { textOf } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/own-text.ts'
import { type Payload, readPayload } from './payload.ts'
import { readFailure, readSuccess, readToolCall } from './tools.ts'
import { readUserText } from './user-text.ts'

export const CLAUDE_CODE = 'claude-code'

/** What every event says besides its own facts. */
type Common = Omit<SessionEvent, 'kind'>
type Reader = (payload: Payload, common: (kind: EventKind, key?: string) => Common) => SessionEvent | undefined

const START_SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const
const END_REASONS: Readonly<Record<string, EndReason>> = {
  clear: 'clear',
  resume: 'resume',
  logout: 'logout',
  prompt_input_exit: 'exit',
}

/** Prompts that no person wrote and no person scheduled: notices of tasks, the harness talking to its model. */
const MACHINE_SOURCES = new Set(['system', 'poll_event'])

function callOf(payload: Payload) {
  if (payload.tool_name === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool hook has no tool_name.')
  return readToolCall({
    name: payload.tool_name,
    input: payload.tool_input,
    callId: bounded(payload.tool_use_id, BOUNDS.word),
    response: payload.tool_response,
  })
}

const READERS: Readonly<Record<string, Reader>> = {
  SessionStart(payload, common) {
    const source = START_SOURCES.find((known) => known === payload.source) ?? 'startup'
    const model = bounded(payload.model, BOUNDS.word)
    return { kind: 'session-started', ...common('session-started'), source, ...(model === undefined ? {} : { model }) }
  },
  UserPromptSubmit(payload, common) {
    if (payload.prompt === undefined)
      throw new HoldfastError('invalid-input', 'The payload of UserPromptSubmit has no prompt.')
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
    tool: callOf(payload),
  }),
  PostToolUse(payload, common) {
    const tool = callOf(payload)
    const outcome = readSuccess(tool, payload.tool_response, payload.duration_ms)
    return { kind: 'tool-finished', ...common('tool-finished', payload.tool_use_id), tool, outcome }
  },
  PostToolUseFailure(payload, common) {
    const tool = callOf(payload)
    const facts = { interrupted: payload.is_interrupt, durationMs: payload.duration_ms }
    const outcome = readFailure(tool, textOf(payload.error), facts)
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
    // Claude Code 2.1.325 runs compaction in a fork of the session, whose end it reports as a subagent without a type.
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
    return {
      kind: 'compaction-started',
      ...common('compaction-started'),
      trigger: payload.trigger ?? 'auto',
      ...(instructions === undefined ? {} : { instructions }),
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

function commonOf(payload: Payload, receipt: Receipt): (kind: EventKind, key?: string) => Common {
  const sessionKey = SessionKey(payload.session_id.toWellFormed())
  const cwd = boundedPath(payload.cwd)
  const transcriptPath = boundedPath(payload.transcript_path)
  const agentId = bounded(payload.agent_id, BOUNDS.word)
  const agentType = bounded(payload.agent_type, BOUNDS.word)
  const { harnessVersion, at, door, pid, pidStartedAt } = receipt
  const subagent = agentId === undefined ? undefined : { id: agentId, type: agentType }
  const process = pid === undefined ? undefined : { pid, startedAt: pidStartedAt }
  return (kind, key) => {
    const id = naturalEventId(CLAUDE_CODE, sessionKey, kind, key) ?? receipt.id
    return { id, harness: CLAUDE_CODE, harnessVersion, sessionKey, at, door, cwd, transcriptPath, subagent, process }
  }
}

export function readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const read = readPayload(hook, payload)
  // Cursor runs the hooks of Claude Code's settings too; such a session is Cursor's, not Claude Code's.
  if (read.cursor_version !== undefined) return undefined
  return reader(read, commonOf(read, receipt))
}
