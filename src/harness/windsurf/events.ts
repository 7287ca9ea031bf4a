import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { FileTouch, SessionEvent, ToolCall } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, boundedPrompt, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { editNames } from '../payload/edit-names.ts'
import { factKey, createEventBase } from '../payload/event-base.ts'
import { type JsonObject, asList, asNumber, asObject, asText } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import { readShell } from '../payload/shell-files.ts'
import { readOutcome } from '../payload/tool-output.ts'

export const WINDSURF = 'windsurf'
const WITH_TRANSCRIPT = 'post_cascade_response_with_transcript'

/** Field names from docs.windsurf.com and docs.devin.ai; no payload of the IDE was recorded. */
const WindsurfPayload = z.looseObject({
  trajectory_id: lenientText,
  execution_id: lenientText,
  timestamp: lenientText,
  tool_info: z.record(z.string(), z.unknown()).catch({}),
})
type WindsurfPayload = z.infer<typeof WindsurfPayload>
type WindsurfBase = ReturnType<typeof createEventBase>
type WindsurfHookReader = (info: JsonObject, common: WindsurfBase, key: string | undefined) => SessionEvent | undefined

/** Windsurf has no call ids: content and time identify a call. */
function createCallKey({ execution_id, timestamp, tool_info }: WindsurfPayload): string | undefined {
  return execution_id === undefined ? undefined : factKey(execution_id, timestamp ?? '', JSON.stringify(tool_info))
}

function createResult(tool: ToolCall, info: JsonObject, common: WindsurfBase, key: string | undefined): SessionEvent {
  const output = asText(info.mcp_result) ?? asText(info.output)
  const exitStatus = asNumber(info.exit_code)
  const outcome = readOutcome(tool.kind, {
    ok: (exitStatus ?? 0) === 0,
    ...(output === undefined ? {} : { text: output }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
  })
  return { kind: 'tool-finished', ...common('tool-finished', key), tool, outcome }
}

function listTouched(info: JsonObject, action: FileTouch['action']): readonly FileTouch[] {
  const path = boundedPath(info.file_path)
  return path === undefined ? [] : [{ path, action }]
}

const READERS: Readonly<Record<string, WindsurfHookReader>> = {
  pre_user_prompt(info, common, key) {
    const prompt = boundedPrompt(withoutOwnText(asText(info.user_prompt) ?? ''))
    return prompt === undefined ? undefined : { kind: 'prompt-submitted', ...common('prompt-submitted', key), prompt }
  },
  post_read_code: (info, common, key) =>
    createResult({ name: 'read_code', kind: 'read', files: listTouched(info, 'read') }, info, common, key),
  post_write_code(info, common, key) {
    const parts = asList(info.edits)
      .map(asObject)
      .flatMap((edit) => [edit.old_string, edit.new_string])
    const texts = parts.slice(0, 6).flatMap((part) => bounded(part, 250) ?? [])
    const fragment = bounded(texts.join('\n'), BOUNDS.fragment)
    const call: ToolCall = {
      name: 'write_code',
      kind: 'edit',
      files: listTouched(info, 'edited'),
      ...(fragment === undefined ? {} : { fragment, ...editNames(parts, fragment) }),
    }
    return createResult(call, info, common, key)
  },
  post_run_command(info, common, key) {
    const command = bounded(info.command_line, BOUNDS.command)
    if (command === undefined) return undefined
    const call: ToolCall = { name: 'run_command', kind: 'shell', command, ...readShell(command) }
    return createResult(call, info, common, key)
  },
  post_mcp_tool_use(info, common, key) {
    const name = bounded([asText(info.mcp_server_name), asText(info.mcp_tool_name)].join('__'), BOUNDS.word)
    return createResult({ name: name ?? 'unknown', kind: 'mcp', files: [] }, info, common, key)
  },
  post_cascade_response(info, common, key) {
    const lastMessage = bounded(withoutOwnText(asText(info.response) ?? ''), BOUNDS.message)
    return { kind: 'turn-ended', ...common('turn-ended', key), ...(lastMessage === undefined ? {} : { lastMessage }) }
  },
  // The same turn again, without its text, but with the transcript's path.
  [WITH_TRANSCRIPT]: (info, common, key) =>
    boundedPath(info.transcript_path) === undefined ? undefined : { kind: 'turn-ended', ...common('turn-ended', key) },
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const result = WindsurfPayload.safeParse(payload)
  if (!result.success)
    throw new HoldfastError('invalid-input', `Windsurf's ${hook} payload cannot be read: it is not an object.`)
  const read = result.data
  const sessionId = read.trajectory_id?.trim()
  if (!sessionId || sessionId.length > BOUNDS.word) return undefined
  const { tool_info: info } = read
  const cwd = asText(info.cwd) ?? asText(info.root_workspace_path)
  const transcriptPath = hook === WITH_TRANSCRIPT ? boundedPath(info.transcript_path) : undefined
  const common = createEventBase(
    {
      harness: WINDSURF,
      sessionId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(transcriptPath === undefined ? {} : { transcriptPath }),
    },
    arrival,
  )
  return reader(info, common, createCallKey(read))
}
