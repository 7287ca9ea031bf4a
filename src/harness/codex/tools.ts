import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded } from '../payload/bounds.ts'
import { contentText, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { type RawOutcome, readOutcome } from '../payload/tool-output.ts'

const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const OUTPUT = /^Output:\n?/m
/** How far into a result Codex's own lines can reach. */
const OWN_LINES_CHARS = 500
const FAILED = /^(?:error|failed|unsupported call|apply_patch verification failed|execution error)\b/i

const ABORTED = /^aborted by user\b/

/** What Codex gave back for a call: results begin with a few lines of its own, up to `Output:`. */
export function readResult(text: string): RawOutcome {
  const head = text.slice(0, OWN_LINES_CHARS)
  const exit = EXIT.exec(head)?.[1]
  const output = OUTPUT.exec(head)
  const exitStatus = exit === undefined ? undefined : Number(exit)
  const isAborted = ABORTED.test(text)
  return {
    ok: (exitStatus ?? 0) === 0 && !FAILED.test(text) && !isAborted,
    ...(isAborted ? { interrupted: true } : {}),
    text: output === null ? text : text.slice(output.index + output[0].length),
    ...(exitStatus === undefined ? {} : { exitStatus }),
  }
}

/** The call as a hook tells it: the shell is `Bash`, a patch is the `command` of `apply_patch`. */
export function readHookCall(name: string, input: unknown, callId: string | undefined): ToolCall {
  const id = bounded(callId, BOUNDS.word)
  // Codex writes some namespaces straight before the name: `multi_agent_v1wait_agent`.
  const plain = name.replace(/^multi_agent_v\d+(?:__)?/, '')
  return readForeignCall({ name: plain, input, ...(id === undefined ? {} : { callId: id }) })
}

function textOfResponse(response: unknown): string | undefined {
  const { content, output } = objectOf(response)
  return contentText(response) ?? contentText(content) ?? textOf(output)
}

/** What `PostToolUse` tells of the outcome. Of a command it is the bare output, whatever its exit status was (0.166). */
export function readHookOutcome(call: ToolCall, response: unknown): ToolOutcome {
  const text = textOfResponse(response) ?? ''
  if (call.kind === 'shell') return readOutcome(call.kind, { ok: true, text })
  const isError = objectOf(response).isError === true || objectOf(response).is_error === true
  const raw = readResult(text)
  return readOutcome(call.kind, { ...raw, ok: raw.ok && !isError })
}
