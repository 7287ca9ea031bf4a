import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EventKind, SessionEvent } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { factKey } from '../payload/fact-key.ts'
import { type EventCommon, hookCommon } from '../payload/hook-facts.ts'
import { lenientText } from '../payload/lenient.ts'
import { readHookCall, readHookOutcome } from './tools.ts'
import { readUserText } from './user-text.ts'

export const CODEX = 'codex'

const Payload = z.object({
  session_id: z.string().trim().min(1).max(200),
  turn_id: lenientText,
  transcript_path: lenientText,
  cwd: lenientText,
  agent_id: lenientText,
  agent_type: lenientText,
  source: lenientText,
  model: lenientText,
  prompt: lenientText,
  tool_name: lenientText,
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  tool_use_id: lenientText,
  last_assistant_message: lenientText,
  trigger: z.enum(['manual', 'auto']).optional().catch(undefined),
})
type Payload = z.infer<typeof Payload>
type Reader = (payload: Payload, common: (kind: EventKind, key?: string) => EventCommon) => SessionEvent | undefined

const START_SOURCES = ['startup', 'resume', 'clear', 'compact'] as const

/** A turn may take several messages: the person's words tell them apart, in the hook as in the transcript. */
export function promptKey(turnId: string | undefined, prompt: string): string | undefined {
  return turnId === undefined ? undefined : `${turnId}.${factKey(prompt)}`
}

function callOf(payload: Payload) {
  if (payload.tool_name === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool hook has no tool_name.')
  return readHookCall(payload.tool_name, payload.tool_input, payload.tool_use_id)
}

const READERS: Readonly<Record<string, Reader>> = {
  SessionStart(payload, common) {
    const source = START_SOURCES.find((known) => known === payload.source) ?? 'startup'
    const model = bounded(payload.model, BOUNDS.word)
    // A session starts up once; it is resumed and compacted as often as it likes, and Codex numbers neither.
    const key = source === 'startup' || source === 'clear' ? source : undefined
    return {
      kind: 'session-started',
      ...common('session-started', key),
      source,
      ...(model === undefined ? {} : { model }),
    }
  },
  UserPromptSubmit(payload, common) {
    if (payload.prompt === undefined)
      throw new HoldfastError('invalid-input', 'The payload of UserPromptSubmit has no prompt.')
    // Codex 0.166 runs it inside subagents too, with the words that the agent gave its subagent.
    if (payload.agent_id !== undefined) return undefined
    const prompt = boundedPrompt(readUserText(payload.prompt))
    if (prompt === undefined) return undefined
    return {
      kind: 'prompt-submitted',
      ...common('prompt-submitted', promptKey(payload.turn_id, prompt)),
      prompt,
    }
  },
  PreToolUse: (payload, common) => ({
    kind: 'tool-started',
    ...common('tool-started', payload.tool_use_id),
    tool: callOf(payload),
  }),
  PostToolUse(payload, common) {
    const tool = callOf(payload)
    const outcome = readHookOutcome(tool, payload.tool_response)
    return { kind: 'tool-finished', ...common('tool-finished', payload.tool_use_id), tool, outcome }
  },
  Stop(payload, common) {
    const lastMessage = bounded(payload.last_assistant_message, BOUNDS.message)
    // A hook of somebody's may send the turn on: then it stops again, with other words.
    const key = payload.turn_id === undefined ? undefined : `${payload.turn_id}.${factKey(lastMessage ?? '')}`
    return { kind: 'turn-ended', ...common('turn-ended', key), ...(lastMessage === undefined ? {} : { lastMessage }) }
  },
  SubagentStart: (payload, common) => ({
    kind: 'subagent-started',
    ...common('subagent-started', payload.agent_id),
  }),
  SubagentStop(payload, common) {
    const lastMessage = bounded(payload.last_assistant_message, BOUNDS.message)
    return {
      kind: 'subagent-finished',
      ...common('subagent-finished', payload.agent_id),
      ...(lastMessage === undefined ? {} : { lastMessage }),
    }
  },
  PreCompact: (payload, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started'),
    trigger: payload.trigger ?? 'auto',
  }),
  PostCompact: (payload, common) => ({
    kind: 'compaction-finished',
    ...common('compaction-finished'),
    ...(payload.trigger === undefined ? {} : { trigger: payload.trigger }),
  }),
  // Codex 0.166 gives `other` as the reason whatever it was.
  SessionEnd: (_payload, common) => ({ kind: 'session-ended', ...common('session-ended'), reason: 'other' }),
}

export function readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the payload'
    throw new HoldfastError('invalid-input', `Codex's ${hook} payload cannot be read: ${where}: ${issue?.message}.`)
  }
  const { session_id, cwd, transcript_path, agent_id, agent_type } = parsed.data
  const facts = {
    harness: CODEX,
    sessionId: session_id,
    cwd,
    transcriptPath: transcript_path,
    agentId: agent_id,
    agentType: agent_type,
  }
  return reader(parsed.data, hookCommon(facts, receipt))
}

const SHELL = 'Bash'

/** A command's exit status stands in the transcript before its `PostToolUse` runs, and nowhere in the payload. */
export function isToldBetterByTranscript(hook: string, payload: unknown): boolean {
  if (hook !== 'PostToolUse') return false
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) return false
  return parsed.data.tool_name === SHELL && parsed.data.transcript_path !== undefined
}
