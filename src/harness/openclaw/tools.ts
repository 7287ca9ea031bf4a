import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded } from '../payload/bounds.ts'
import { contentText, isObject, type JsonObject, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { readOutcome } from '../payload/tool-output.ts'

/** What OpenClaw (2026.9) calls its tools, where that differs from the usual names. */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  exec: 'bash',
  find: 'glob',
  sessions_spawn: 'task',
  fetch: 'webfetch',
}

/** OpenClaw's own tools with a `_` in their names; any other such name is one of an MCP server or of a plugin. */
const OWN_PREFIX = /^(?:apply|memory|message|session|sessions|subagents|tool|update|web)_/

/** MCP servers' and plugins' tools are behind one tool that calls them by name. */
function unwrapped(name: string, params: unknown): { readonly name: string; readonly params: unknown } {
  const { name: inner, tool, arguments: args, params: passed } = objectOf(params)
  const called = textOf(inner) ?? textOf(tool)
  return name === 'tool_call' && called !== undefined ? { name: called, params: args ?? passed } : { name, params }
}

export function readToolCall(tool: string, given: unknown, callId: string | undefined): ToolCall {
  const { name, params } = unwrapped(tool, given)
  const id = bounded(callId, BOUNDS.word)
  const usual = Object.hasOwn(USUAL_NAMES, name) ? USUAL_NAMES[name] : undefined
  const call = readForeignCall({ name: usual ?? name, input: params, ...(id === undefined ? {} : { callId: id }) })
  const isForeign = call.kind === 'other' && name.includes('_') && !OWN_PREFIX.test(name)
  return { ...call, name: bounded(name, BOUNDS.word) ?? 'unknown', kind: isForeign ? 'mcp' : call.kind }
}

function detailsOf(result: unknown): JsonObject {
  return isObject(result) ? objectOf(result.details) : {}
}

export function readResult(
  call: ToolCall,
  { result, error, durationMs }: { readonly result: unknown; readonly error: unknown; readonly durationMs: unknown },
): ToolOutcome {
  const details = detailsOf(result)
  const exitStatus = numberOf(details.exitCode)
  const failure = textOf(error)
  const text = failure ?? contentText(objectOf(result).content) ?? textOf(result)
  const tookMs = numberOf(durationMs)
  const isFailure = details.status === 'failed' || details.status === 'error' || objectOf(result).isError === true
  return readOutcome(call.kind, {
    ok: failure === undefined && (exitStatus ?? 0) === 0 && !isFailure,
    ...(text === undefined ? {} : { text }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(tookMs === undefined || tookMs < 0 ? {} : { durationMs: tookMs }),
    interrupted: details.exitReason === 'aborted' || details.status === 'killed',
  })
}
