import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EventKind, QuestionAnswer, SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { readAnswers } from '../payload/answers.ts'
import { BOUNDS, bounded, boundedPrompt, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { parseLine } from '../transcript/append-log.ts'
import { factKey, type EventBase, createEventBase } from '../payload/event-base.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { readContentText, asObject, asText } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { findRefusal } from '../payload/refusal.ts'
import { type RawOutcome, readOutcome } from '../payload/tool-output.ts'

const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const OUTPUT = /^Output:\n?/m
/** How far into a result Codex's own lines can reach. */
const OWN_LINES_CHARS = 500
const FAILED = /^(?:error|failed|unsupported call|apply_patch verification failed|execution error)\b/i

const ABORTED = /^aborted by user\b/

/** What Codex (0.156 to 0.166) answers its model in place of a result. */
const REFUSALS = {
  byUser:
    /^(?:(?:exec command|patch|request|command) rejected by user\b(?! approval settings)|user (?:denied|rejected) this (?:command|patch|request)(?: with a reason: (.*))?)/is,
  byHarness:
    /^(?:.{0,200}\brejected by user approval settings|(?:patch|exec command|command|exec_command failed.{0,300}) rejected: |rejected: blocked by policy|This action was rejected due to unacceptable risk|approval policy is \S+; reject command|.{0,80}\bblocked by PreToolUse hook|sandbox denied exec error|Sandbox: this session has been read-only)/is,
} as const

/** Parses the result of a call: it begins with a few lines of Codex's own, up to `Output:`. */
export function readResult(text: string): RawOutcome {
  const head = text.slice(0, OWN_LINES_CHARS)
  const exit = EXIT.exec(head)?.[1]
  const output = OUTPUT.exec(head)
  const exitStatus = exit === undefined ? undefined : Number(exit)
  const isAborted = ABORTED.test(text)
  const refused = exitStatus === undefined ? findRefusal(head, REFUSALS) : undefined
  return {
    ...(refused === undefined ? {} : { refused }),
    ok: (exitStatus ?? 0) === 0 && !FAILED.test(text) && !isAborted,
    ...(isAborted ? { interrupted: true } : {}),
    text: output === null ? text : text.slice(output.index + output[0].length),
    ...(exitStatus === undefined ? {} : { exitStatus }),
  }
}

/** A call as hooks report it: the shell is `Bash`, a patch is the `command` of `apply_patch`. */
function readHookCall(name: string, input: unknown, callId: string | undefined): ToolCall {
  const id = bounded(callId, BOUNDS.word)
  // Codex writes some namespaces directly before the name: `multi_agent_v1wait_agent`.
  const plain = name.replace(/^multi_agent_v\d+(?:__)?/, '')
  return readForeignCall({ name: plain, input, ...(id === undefined ? {} : { callId: id }) })
}

function readResponseText(response: unknown): string | undefined {
  const { content, output } = asObject(response)
  return readContentText(response) ?? readContentText(content) ?? asText(output)
}

/** The answers to `request_user_input`, whose result is JSON: `{"answers": {"<id>": {"answers": ["…"]}}}`. */
export function readGivenAnswers(name: string, input: unknown, text: string): readonly QuestionAnswer[] {
  return name === 'request_user_input' ? readAnswers(asObject(input).questions, parseLine(text)?.answers) : []
}

/** The outcome from `PostToolUse`. For a command that is only its output, without the exit status (0.166). */
function readHookOutcome(call: ToolCall, response: unknown, input: unknown): ToolOutcome {
  const text = readResponseText(response) ?? ''
  const raw = readResult(text)
  if (call.kind === 'shell') return readOutcome(call.kind, { ok: true, text, refused: raw.refused })
  const isError = asObject(response).isError === true || asObject(response).is_error === true
  return readOutcome(call.kind, { ...raw, ok: raw.ok && !isError, answers: readGivenAnswers(call.name, input, text) })
}

/** Elements that Codex itself adds to user messages. */
const FOREIGN =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|subagent_notification|collaboration_mode|user_shell_command)|# AGENTS\.md instructions|Another language model started to solve this problem)/

/** The user's own words; undefined when there are none. */
export function readUserText(message: string): string | undefined {
  if (FOREIGN.test(message)) return undefined
  const text = withoutOwnText(message).trim()
  return text === '' ? undefined : text
}

export const CODEX = 'codex'

const CodexPayload = z.object({
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
type CodexPayload = z.infer<typeof CodexPayload>
type CodexHookReader = (
  payload: CodexPayload,
  common: (kind: EventKind, key?: string) => EventBase,
) => SessionEvent | undefined

const START_SOURCES = ['startup', 'resume', 'clear', 'compact'] as const

/** A turn may have several messages: the text distinguishes them, in the hook as in the transcript. */
export function promptKey(turnId: string | undefined, prompt: string): string | undefined {
  return turnId === undefined ? undefined : `${turnId}.${factKey(prompt)}`
}

export function turnEndKey(turnId: string, lastMessage: string | undefined): string {
  return `${turnId}.${factKey(lastMessage ?? '')}`
}

function readCall(payload: CodexPayload) {
  if (payload.tool_name === undefined)
    throw new HoldfastError('invalid-input', 'The payload of a tool hook has no tool_name.')
  return readHookCall(payload.tool_name, payload.tool_input, payload.tool_use_id)
}

const READERS: Readonly<Record<string, CodexHookReader>> = {
  SessionStart(payload, common) {
    const source = START_SOURCES.find((known) => known === payload.source) ?? 'startup'
    const model = bounded(payload.model, BOUNDS.word)
    // A session starts once; it may be resumed and compacted often, and Codex numbers neither.
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
    // Codex 0.166 also runs it inside subagents, with the words that the agent gave its subagent.
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
    tool: readCall(payload),
  }),
  PostToolUse(payload, common) {
    const tool = readCall(payload)
    const outcome = readHookOutcome(tool, payload.tool_response, payload.tool_input)
    return { kind: 'tool-finished', ...common('tool-finished', payload.tool_use_id), tool, outcome }
  },
  Stop(payload, common) {
    const lastMessage = bounded(payload.last_assistant_message, BOUNDS.message)
    // Another tool's hook may continue the turn: then it stops again, with another message.
    const key = payload.turn_id === undefined ? undefined : turnEndKey(payload.turn_id, lastMessage)
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
  // Codex 0.166 always gives `other` as the reason.
  SessionEnd: (_payload, common) => ({ kind: 'session-ended', ...common('session-ended'), reason: 'other' }),
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const parsed = CodexPayload.safeParse(payload)
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
  return reader(parsed.data, createEventBase(facts, arrival))
}

const SHELL = 'Bash'

/** A command's exit status is in the transcript before its `PostToolUse` runs, and never in the payload. */
export function isTranscriptMoreComplete(hook: string, payload: unknown): boolean {
  if (hook !== 'PostToolUse') return false
  const parsed = CodexPayload.safeParse(payload)
  if (!parsed.success) return false
  return parsed.data.tool_name === SHELL && parsed.data.transcript_path !== undefined
}
