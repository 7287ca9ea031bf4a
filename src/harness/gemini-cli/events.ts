import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EndReason, EventKind, SessionEvent } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { factKey } from '../payload/fact-key.ts'
import { type EventCommon, hookCommon } from '../payload/hook-facts.ts'
import { objectOf } from '../../kernel/json-shape.ts'
import { lenientText } from '../payload/lenient.ts'
import { withoutOwnText } from '../payload/own-text.ts'
import { readCall, readHookOutcome, withCreation } from './tools.ts'
import { readUserText } from './user-text.ts'

export const GEMINI_CLI = 'gemini-cli'

const Payload = z.object({
  session_id: z.string().trim().min(1).max(200),
  transcript_path: lenientText,
  cwd: lenientText,
  timestamp: lenientText,
  source: lenientText,
  prompt: lenientText,
  prompt_response: lenientText,
  tool_name: lenientText,
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  trigger: lenientText,
  reason: lenientText,
})
type Payload = z.infer<typeof Payload>
type Reader = (payload: Payload, common: (kind: EventKind, key?: string) => EventCommon) => SessionEvent | undefined

const START_SOURCES = ['startup', 'resume', 'clear'] as const
const END_REASONS: Readonly<Record<string, EndReason>> = {
  exit: 'exit',
  prompt_input_exit: 'exit',
  clear: 'clear',
  logout: 'logout',
}

/** Every hook of one moment gets the same time stamp, so an event told twice (settings and extension) has one key. */
function keyOf({ timestamp }: Payload, ...parts: readonly string[]): string | undefined {
  if (timestamp === undefined) return undefined
  return parts.length === 0 ? timestamp : `${timestamp}.${factKey(...parts)}`
}

function callOf(payload: Payload) {
  if (payload.tool_name === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool hook has no tool_name.')
  // Gemini CLI 0.61 has no id for a call in its hooks: time, name and arguments tell two apart.
  const key = keyOf(payload, payload.tool_name, JSON.stringify(payload.tool_input) ?? '')
  return { tool: readCall(payload.tool_name, payload.tool_input), key }
}

const READERS: Readonly<Record<string, Reader>> = {
  SessionStart(payload, common) {
    const source = START_SOURCES.find((known) => known === payload.source) ?? 'startup'
    const { transcriptPath, ...facts } = common('session-started', keyOf(payload))
    // On resume 0.61 names a file that it never writes, and goes on with the old one.
    const isReal = source !== 'resume' && transcriptPath !== undefined
    return { kind: 'session-started', ...facts, ...(isReal ? { transcriptPath } : {}), source }
  },
  BeforeAgent(payload, common) {
    if (payload.prompt === undefined)
      throw new HoldfastError('invalid-input', 'The payload of BeforeAgent has no prompt.')
    const prompt = boundedPrompt(readUserText(payload.prompt))
    if (prompt === undefined) return undefined
    return { kind: 'prompt-submitted', ...common('prompt-submitted', keyOf(payload)), prompt }
  },
  BeforeTool(payload, common) {
    const { tool, key } = callOf(payload)
    return { kind: 'tool-started', ...common('tool-started', key), tool }
  },
  AfterTool(payload, common) {
    const { tool, key } = callOf(payload)
    const outcome = readHookOutcome(tool, payload.tool_response)
    const display = objectOf(payload.tool_response).returnDisplay
    return { kind: 'tool-finished', ...common('tool-finished', key), tool: withCreation(tool, display), outcome }
  },
  AfterAgent(payload, common) {
    const lastMessage = bounded(withoutOwnText(payload.prompt_response ?? ''), BOUNDS.message)
    return {
      kind: 'turn-ended',
      ...common('turn-ended', keyOf(payload)),
      ...(lastMessage === undefined ? {} : { lastMessage }),
    }
  },
  PreCompress(payload, common) {
    // `auto` runs before every call of the model, whether anything is compressed or not (0.61): it tells nothing.
    if (payload.trigger !== 'manual') return undefined
    return { kind: 'compaction-started', ...common('compaction-started', keyOf(payload)), trigger: 'manual' }
  },
  SessionEnd(payload, common) {
    const known = payload.reason !== undefined && Object.hasOwn(END_REASONS, payload.reason)
    const reason = (known ? END_REASONS[payload.reason ?? ''] : undefined) ?? 'other'
    return { kind: 'session-ended', ...common('session-ended', keyOf(payload)), reason }
  },
}

export function readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the payload'
    throw new HoldfastError(
      'invalid-input',
      `Gemini CLI's ${hook} payload cannot be read: ${where}: ${issue?.message}.`,
    )
  }
  const { session_id, cwd, transcript_path } = parsed.data
  const facts = { harness: GEMINI_CLI, sessionId: session_id, cwd, transcriptPath: transcript_path }
  return reader(parsed.data, hookCommon(facts, receipt))
}

/** That the context was compressed stands in the transcript alone: it is asked where a recovery could then be told. */
export function isToldBetterByTranscript(hook: string): boolean {
  return hook === 'BeforeAgent' || hook === 'AfterTool'
}
