import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded } from '../payload/bounds.ts'
import { contentText, isObject, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { type RawOutcome, readOutcome } from '../payload/tool-output.ts'
import { withoutElements } from '../payload/without-elements.ts'

const EXIT = /^(?:Exit Code|Command exited with code): (\d+)$/m
const SIGNAL = /^Signal: \S+$/m
/** Lines of Gemini CLI's own around a command's output. */
const OWN_LINES = /^(?:Output: |(?:Exit Code|Signal|Process Group PGID|Background PIDs|Directory|Command): .*\n?)/gm
const CANCELLED = /\bcancell?ed by user\b/i
/** Its subagents are tools by these names; their own calls are not told apart. */
const AGENTS = new Set(['codebase_investigator', 'generalist', 'cli_help', 'invoke_agent', 'delegate_to_agent'])

/** A call of Gemini CLI's in our words; the same from its hooks and from its transcript. */
export function readCall(name: string, input: unknown, callId?: string): ToolCall {
  const id = bounded(callId, BOUNDS.word)
  const call = readForeignCall({ name, input, ...(id === undefined ? {} : { callId: id }) })
  return AGENTS.has(name) ? { ...call, kind: 'agent' } : call
}

/** What a result's text says of how it went: a command that failed is a success of the tool. */
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

/** `<untrusted_context>` marks what came from outside for the model; to us all of it did. */
function withoutMarks(text: string): string {
  return withoutElements(text, ['hook_context']).replaceAll(/<\/?untrusted_context>\n?/g, '')
}

export function plainResult(text: string | undefined): string | undefined {
  return text === undefined ? undefined : withoutMarks(text).replaceAll(OWN_LINES, '').trim()
}

/** A file that was not there before, where the result says so. */
export function withCreation(call: ToolCall, display: unknown): ToolCall {
  if (call.kind !== 'edit' || objectOf(display).isNewFile !== true) return call
  return { ...call, files: call.files.map((file) => ({ ...file, action: 'created' })) }
}

/** What `AfterTool` tells of the outcome. */
export function readHookOutcome(call: ToolCall, response: unknown): ToolOutcome {
  const { llmContent, returnDisplay, error } = objectOf(response)
  const shown = contentText(llmContent) ?? textOf(objectOf(llmContent).text)
  const facts = readResultText(shown)
  const message = isObject(error) ? textOf(error.message) : textOf(error)
  const { isFailure, ...raw } = facts
  return readOutcome(call.kind, {
    ...raw,
    ok: !isFailure && error === undefined,
    text: message ?? plainResult(shown) ?? textOf(returnDisplay),
  })
}
