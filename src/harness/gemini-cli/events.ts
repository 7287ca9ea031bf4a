import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EndReason, EventKind, SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPrompt, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { factKey, type EventBase, createEventBase } from '../payload/event-base.ts'
import { asObject, readContentText, isObject, asText } from '../../kernel/json-shape.ts'
import { withoutOwnText, withoutElements } from '../payload/strip-text.ts'
import { parseLine } from '../transcript/append-log.ts'
import { approvePlan, readAnswers } from '../payload/answers.ts'
import { findRefusal } from '../payload/refusal.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { type RawOutcome, readOutcome } from '../payload/tool-output.ts'

const EXIT = /^(?:Exit Code|Command exited with code): (\d+)$/m
const SIGNAL = /^Signal: \S+$/m
/** Gemini CLI's own lines around a command's output. */
const OWN_LINES = /^(?:Output: |(?:Exit Code|Signal|Process Group PGID|Background PIDs|Directory|Command): .*\n?)/gm
const CANCELLED = /\bcancell?ed by user\b/i
/** Its subagents are tools with these names; their own calls cannot be distinguished. */
const AGENTS = new Set(['codebase_investigator', 'generalist', 'cli_help', 'invoke_agent', 'delegate_to_agent'])

/** Translates a tool call of Gemini CLI; the same for its hooks and its transcript. */
export function readCall(name: string, input: unknown, callId?: string): ToolCall {
  const id = bounded(callId, BOUNDS.word)
  const call = readForeignCall({ name, input, ...(id === undefined ? {} : { callId: id }) })
  return AGENTS.has(name) ? { ...call, kind: 'agent' } : call
}

/** The outcome in a result's text: for the tool, a command that failed is a success. */
export function readResultText(text: string | undefined): Omit<RawOutcome, 'ok'> & { readonly isFailure: boolean } {
  const exit = EXIT.exec(text ?? '')?.[1]
  const exitStatus = exit === undefined ? undefined : Number(exit)
  const isInterrupted = CANCELLED.test((text ?? '').slice(0, 500))
  return {
    isFailure: (exitStatus ?? 0) !== 0 || SIGNAL.test(text ?? '') || isInterrupted,
    ...(text === undefined ? {} : { text }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(isInterrupted ? { interrupted: true } : {}),
  }
}

/** What Gemini CLI (0.61) answers its model in place of a result. */
const REFUSALS = {
  byUser:
    /^(?:\[Operation Cancelled\] Reason: )?(?:User (?:denied|rejected|declined) (?:execution|the tool|tool)|User did not allow tool call|Plan rejected\.(?: (?:User feedback|Feedback): (.*?))?(?:\n\n|$)|User (?:cancelled|dismissed) the dialog)/s,
  byHarness:
    /^(?:\[Operation Cancelled\] Reason: )?(?:Tool execution (?:denied by policy|blocked)|Tool execution for ".{1,200}" requires user confirmation|Sandbox: this session has been read-only)/s,
} as const

/** Facts of a finished call that its arguments and result only show together; the same for hooks and transcript. */
export function readDialogue(name: string, input: unknown, text = ''): Pick<RawOutcome, 'refused' | 'answers'> {
  const refused = findRefusal(text, REFUSALS)
  if (refused !== undefined) return { refused }
  if (name === 'ask_user') return { answers: readAnswers(asObject(input).questions, parseLine(text)?.answers) }
  return name === 'exit_plan_mode' && text.startsWith('Plan approved') ? { answers: approvePlan() } : {}
}

/** `<untrusted_context>` marks outside content for the model; for us all of it is. */
function withoutMarks(text: string): string {
  return withoutElements(text, ['hook_context']).replaceAll(/<\/?untrusted_context>\n?/g, '')
}

export function plainResult(text: string | undefined): string | undefined {
  return text === undefined ? undefined : withoutMarks(text).replaceAll(OWN_LINES, '').trim()
}

/** Marks the file as created where the result says so. */
export function withCreation(call: ToolCall, display: unknown): ToolCall {
  if (call.kind !== 'edit' || asObject(display).isNewFile !== true) return call
  return { ...call, files: call.files.map((file) => ({ ...file, action: 'created' })) }
}

/** The outcome from `AfterTool`. */
function readHookOutcome(call: ToolCall, response: unknown, input: unknown): ToolOutcome {
  const { llmContent, returnDisplay, error } = asObject(response)
  const shown = readContentText(llmContent) ?? asText(asObject(llmContent).text)
  const facts = readResultText(shown)
  const message = isObject(error) ? asText(error.message) : asText(error)
  const { isFailure, ...raw } = facts
  return readOutcome(call.kind, {
    ...raw,
    ok: !isFailure && error === undefined,
    text: message ?? plainResult(shown) ?? asText(returnDisplay),
    ...readDialogue(call.name, input, message ?? shown),
  })
}

/** Elements that Gemini CLI adds to user messages: its setup, hook output, outside content. */
const FOREIGN_ELEMENTS = ['session_context', 'hook_context', 'untrusted_context'] as const

/** The text without what Gemini CLI and hooks added. */
export function withoutForeignText(text: string): string {
  return withoutOwnText(withoutElements(text, FOREIGN_ELEMENTS)).trim()
}

/** The user's own words in a prompt; undefined when there are none. In headless mode a prompt begins with the output of SessionStart's hooks (0.61). */
export function readUserText(message: string): string | undefined {
  const text = withoutForeignText(message)
  // An element that was cut off has no closing tag and is still there.
  return text === '' || text.startsWith('<session_context>') ? undefined : text
}

export const GEMINI_CLI = 'gemini-cli'

const GeminiPayload = z.object({
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
type GeminiPayload = z.infer<typeof GeminiPayload>
type GeminiHookReader = (
  payload: GeminiPayload,
  common: (kind: EventKind, key?: string) => EventBase,
) => SessionEvent | undefined

const START_SOURCES = ['startup', 'resume', 'clear'] as const
const END_REASONS: Readonly<Record<string, EndReason>> = {
  exit: 'exit',
  prompt_input_exit: 'exit',
  clear: 'clear',
  logout: 'logout',
}

/** All hooks of one moment have the same timestamp, so an event that is reported twice (settings and extension) has one key. */
function createKey({ timestamp }: GeminiPayload, ...parts: readonly string[]): string | undefined {
  if (timestamp === undefined) return undefined
  return parts.length === 0 ? timestamp : `${timestamp}.${factKey(...parts)}`
}

function readToolHook(payload: GeminiPayload) {
  if (payload.tool_name === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool hook has no tool_name.')
  // Gemini CLI 0.61 has no call id in its hooks: time, name and arguments identify a call.
  const key = createKey(payload, payload.tool_name, JSON.stringify(payload.tool_input) ?? '')
  return { tool: readCall(payload.tool_name, payload.tool_input), key }
}

const READERS: Readonly<Record<string, GeminiHookReader>> = {
  SessionStart(payload, common) {
    const source = START_SOURCES.find((known) => known === payload.source) ?? 'startup'
    const { transcriptPath, ...facts } = common('session-started', createKey(payload))
    // On resume, 0.61 names a file that it never writes, and continues with the old one.
    const isReal = source !== 'resume' && transcriptPath !== undefined
    return { kind: 'session-started', ...facts, ...(isReal ? { transcriptPath } : {}), source }
  },
  BeforeAgent(payload, common) {
    if (payload.prompt === undefined)
      throw new HoldfastError('invalid-input', 'The payload of BeforeAgent has no prompt.')
    const prompt = boundedPrompt(readUserText(payload.prompt))
    if (prompt === undefined) return undefined
    return { kind: 'prompt-submitted', ...common('prompt-submitted', createKey(payload)), prompt }
  },
  BeforeTool(payload, common) {
    const { tool, key } = readToolHook(payload)
    return { kind: 'tool-started', ...common('tool-started', key), tool }
  },
  AfterTool(payload, common) {
    const { tool, key } = readToolHook(payload)
    const outcome = readHookOutcome(tool, payload.tool_response, payload.tool_input)
    const display = asObject(payload.tool_response).returnDisplay
    return { kind: 'tool-finished', ...common('tool-finished', key), tool: withCreation(tool, display), outcome }
  },
  AfterAgent(payload, common) {
    const lastMessage = bounded(withoutOwnText(payload.prompt_response ?? ''), BOUNDS.message)
    return {
      kind: 'turn-ended',
      ...common('turn-ended', createKey(payload)),
      ...(lastMessage === undefined ? {} : { lastMessage }),
    }
  },
  PreCompress(payload, common) {
    // `auto` runs before every model call, whether anything is compressed or not (0.61).
    if (payload.trigger !== 'manual') return undefined
    return { kind: 'compaction-started', ...common('compaction-started', createKey(payload)), trigger: 'manual' }
  },
  SessionEnd(payload, common) {
    const known = payload.reason !== undefined && Object.hasOwn(END_REASONS, payload.reason)
    const reason = (known ? END_REASONS[payload.reason ?? ''] : undefined) ?? 'other'
    return { kind: 'session-ended', ...common('session-ended', createKey(payload)), reason }
  },
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const parsed = GeminiPayload.safeParse(payload)
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
  return reader(parsed.data, createEventBase(facts, arrival))
}

/** A compression is visible only in the transcript, which is read at the hooks where a recovery can be injected. */
export function isTranscriptMoreComplete(hook: string): boolean {
  return hook === 'BeforeAgent' || hook === 'AfterTool'
}
