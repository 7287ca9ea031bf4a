import type { SessionEvent, FileTouch, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPrompt, boundedPath, MAX_FILES, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { readContextMeasure, type EventBase, createEventBase } from '../payload/event-base.ts'
import { type JsonObject, asList, asNumber, asObject, asText, readContentText } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { approvePlan, readAnswers } from '../payload/answers.ts'
import { findRefusal } from '../payload/refusal.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { type RawOutcome, readOutcome } from '../payload/tool-output.ts'

/** OpenCode's own tools (1.18); a tool of an MCP server is named `<server>_<tool>`. */
const OWN_TOOLS = new Set([
  'apply_patch',
  'bash',
  'batch',
  'codesearch',
  'edit',
  'glob',
  'grep',
  'invalid',
  'list',
  'lsp',
  'multiedit',
  'patch',
  'plan_enter',
  'plan_exit',
  'question',
  'read',
  'skill',
  'task',
  'todoread',
  'todowrite',
  'webfetch',
  'websearch',
  'write',
])

/** The write tool creates a file that did not exist. */
function listFiles(call: ToolCall, metadata: unknown): readonly FileTouch[] {
  const { exists, files } = asObject(metadata)
  if (call.name === 'write' && exists === false)
    return call.files.map((file): FileTouch => ({ path: file.path, action: 'created' }))
  if (call.kind !== 'edit' || call.files.length > 0) return call.files
  return asList(files)
    .slice(0, MAX_FILES)
    .flatMap((file): readonly FileTouch[] => {
      const path = boundedPath(asObject(file).filePath ?? file)
      return path === undefined ? [] : [{ path, action: 'edited' }]
    })
}

/** Translates a tool call of OpenCode; the same for its plugin hooks and its database. */
export function readToolCall(name: string, args: unknown, callId: string | undefined, metadata?: unknown): ToolCall {
  const id = bounded(callId, BOUNDS.word)
  const call = readForeignCall({ name, input: args, ...(id === undefined ? {} : { callId: id }) })
  const kind = call.kind === 'other' && !OWN_TOOLS.has(name) && name.includes('_') ? 'mcp' : call.kind
  return { ...call, kind, files: listFiles(call, metadata) }
}

export interface RawResult {
  readonly input: unknown
  /** `{title, output, metadata}` of OpenCode's own tools, `{content: […]}` of an MCP server's. */
  readonly output: unknown
  readonly error?: unknown
  readonly durationMs?: number
}

/** What OpenCode (1.18) writes as the error of a call that it did not run. */
const REFUSALS = {
  byUser:
    /^(?:Error: )?(?:The user rejected permission to use this specific tool call(?: with the following feedback: (.*))?|The user dismissed this question)/s,
  byHarness:
    /^(?:Error: )?(?:The user has specified a rule which prevents you from using|Sandbox: this session has been read-only)/,
} as const

/** Facts of a finished call that its arguments and result only show together; the same for the plugin and the database. */
export function readDialogue(
  name: string,
  { input, metadata, error }: { input: unknown; metadata: unknown; error: string | undefined },
): Pick<RawOutcome, 'refused' | 'answers'> {
  if (error !== undefined) return { refused: findRefusal(error, REFUSALS) }
  if (name === 'question') return { answers: readAnswers(asObject(input).questions, asObject(metadata).answers) }
  return name === 'plan_exit' ? { answers: approvePlan() } : {}
}

function readResult(call: ToolCall, { input, output, error, durationMs }: RawResult): ToolOutcome {
  const result = asObject(output)
  const metadata = asObject(result.metadata)
  const exitStatus = asNumber(metadata.exit)
  const failure = asText(error)
  const text = failure ?? asText(result.output) ?? readContentText(result.content)
  return readOutcome(call.kind, {
    ok: failure === undefined && (exitStatus ?? 0) === 0 && result.isError !== true,
    ...(text === undefined ? {} : { text }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(durationMs === undefined ? {} : { durationMs }),
    interrupted: metadata.interrupted === true || failure?.startsWith('Tool execution aborted') === true,
    ...readDialogue(call.name, { input, metadata, error: failure }),
  })
}

const count = z.number().int().nonnegative().optional().catch(undefined)
const loose = z.record(z.string(), z.unknown()).catch({})

/** The plugin's payload: what OpenCode passed to its hook, and what the plugin knows besides. */
const Payload = z.object({
  input: loose,
  output: loose,
  /** The session, the one it runs inside, and its directory. */
  session: z
    .object({ id: lenientText, root: lenientText, agent: lenientText, directory: lenientText, version: lenientText })
    .optional()
    .catch(undefined),
  directory: lenientText,
  transcript: lenientText,
  /** The agent's last text in this session. */
  last: z.object({ messageID: lenientText, text: lenientText }).optional().catch(undefined),
  /** The context's size after the agent's newest message, and its limit. */
  context: z.object({ tokens: z.unknown(), window: z.unknown() }).partial().optional().catch(undefined),
  source: lenientText,
  /** Id of the message that starts a compaction. */
  id: lenientText,
  auto: z.boolean().optional().catch(undefined),
  summary: lenientText,
  tokensBefore: count,
  tokensAfter: count,
})
export type OpenCodePayload = z.infer<typeof Payload>

function parsePayload(hook: string, payload: unknown): OpenCodePayload {
  const parsed = Payload.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new HoldfastError('invalid-input', `OpenCode's ${hook} payload cannot be read: it is not an object.`)
}

export const OPENCODE = 'opencode'

type OpenCodeBase = ReturnType<typeof createEventBase>
type OpenCodeHookReader = (payload: OpenCodePayload, common: OpenCodeBase, isMain: boolean) => SessionEvent | undefined

function getProperties(payload: OpenCodePayload): JsonObject {
  return asObject(asObject(payload.input.event).properties)
}

/** The user's text; parts that OpenCode or a plugin added are marked. */
function readPrompt(parts: unknown): string | undefined {
  const texts = asList(parts)
    .map(asObject)
    .filter((part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true)
    .flatMap((part) => asText(part.text) ?? [])
  return boundedPrompt(withoutOwnText(texts.join('\n')))
}

function createStart(common: EventBase, source: 'startup' | 'resume' | 'compact', model?: string): SessionEvent {
  return { kind: 'session-started', ...common, source, ...(model === undefined ? {} : { model }) }
}

const READERS: Readonly<Record<string, OpenCodeHookReader>> = {
  'session.created'(payload, common, isMain) {
    const id = asText(getProperties(payload).sessionID)
    if (!isMain) return { kind: 'subagent-started', ...common('subagent-started', id) }
    return createStart(common('session-started', 'created'), 'startup')
  },

  /** Sent by the plugin for a session that this process did not create, or that continues after a compaction. */
  'session.opened'(payload, common, isMain) {
    if (!isMain) return undefined
    if (payload.source !== 'compact') return createStart(common('session-started'), 'resume')
    return createStart(
      common('session-started', payload.id === undefined ? undefined : `compact-${payload.id}`),
      'compact',
    )
  },

  'chat.message'(payload, common, isMain) {
    // A subagent's prompt is not the user's.
    const prompt = isMain ? readPrompt(payload.output.parts) : undefined
    if (prompt === undefined) return undefined
    const promptId = bounded(asObject(payload.output.message).id, BOUNDS.word)
    return {
      kind: 'prompt-submitted',
      ...common('prompt-submitted', promptId),
      prompt,
      ...(promptId === undefined ? {} : { promptId }),
    }
  },

  'tool.execute.before'(payload, common) {
    const { tool, callID } = payload.input
    const name = asText(tool)
    if (name === undefined) return undefined
    const call = readToolCall(name, payload.output.args, asText(callID))
    return { kind: 'tool-started', ...common('tool-started', asText(callID)), tool: call }
  },

  'tool.execute.after'(payload, common) {
    const { tool, callID, args } = payload.input
    const name = asText(tool)
    if (name === undefined) return undefined
    const call = readToolCall(name, args, asText(callID), payload.output.metadata)
    const outcome = readResult(call, { input: args, output: payload.output })
    return { kind: 'tool-finished', ...common('tool-finished', asText(callID)), tool: call, outcome }
  },

  /** OpenCode calls no hook after a tool that threw or got wrong arguments; the message part reports it. */
  'message.part.updated'(payload, common) {
    const { type, tool, callID, state } = asObject(getProperties(payload).part)
    const { status, input, error, time } = asObject(state)
    const name = asText(tool)
    if (type !== 'tool' || status !== 'error' || name === undefined) return undefined
    const call = readToolCall(name, input, asText(callID))
    const { start, end } = asObject(time)
    const [from, to] = [asNumber(start), asNumber(end)]
    const outcome = readResult(call, {
      input,
      output: {},
      error: asText(error) ?? 'The tool failed.',
      ...(from === undefined || to === undefined || to < from ? {} : { durationMs: to - from }),
    })
    return { kind: 'tool-finished', ...common('tool-finished', asText(callID)), tool: call, outcome }
  },

  'session.idle'(payload, common, isMain) {
    const lastMessage = bounded(withoutOwnText(payload.last?.text ?? ''), BOUNDS.message)
    const said = lastMessage === undefined ? {} : { lastMessage }
    const key = payload.last?.messageID
    if (!isMain) return { kind: 'subagent-finished', ...common('subagent-finished', key), ...said }
    return { kind: 'turn-ended', ...common('turn-ended', key), ...said }
  },

  'experimental.session.compacting'(payload, common) {
    const trigger = payload.auto === false ? 'manual' : 'auto'
    return { kind: 'compaction-started', ...common('compaction-started', payload.id), trigger }
  },

  'session.compacted'(payload, common) {
    const summary = bounded(withoutOwnText(payload.summary ?? ''), BOUNDS.summary)
    return {
      kind: 'compaction-finished',
      ...common('compaction-finished', payload.id),
      ...(payload.auto === undefined ? {} : { trigger: payload.auto ? 'auto' : 'manual' }),
      ...(summary === undefined ? {} : { summary }),
      ...(payload.tokensBefore === undefined ? {} : { tokensBefore: payload.tokensBefore }),
      ...(payload.tokensAfter === undefined ? {} : { tokensAfter: payload.tokensAfter }),
    }
  },

  'session.deleted': (_payload, common, isMain) =>
    isMain ? { kind: 'session-ended', ...common('session-ended', 'deleted'), reason: 'clear' } : undefined,

  dispose: (_payload, common, isMain) =>
    isMain ? { kind: 'session-ended', ...common('session-ended'), reason: 'exit' } : undefined,
}

/** The session of an event, and the subagent's: a child session runs inside another. */
function findSession(payload: OpenCodePayload) {
  const properties = getProperties(payload)
  const info = asObject(properties.info)
  const id = payload.session?.id ?? asText(payload.input.sessionID) ?? asText(properties.sessionID) ?? asText(info.id)
  const root = payload.session?.root ?? asText(info.parentID) ?? id
  const agent = payload.session?.agent ?? asText(info.agent)
  const cwd = payload.session?.directory ?? asText(info.directory) ?? payload.directory
  return { id, root, agent, cwd, version: payload.session?.version ?? asText(info.version) }
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const read = parsePayload(hook, payload)
  const { id, root, agent, cwd, version } = findSession(read)
  if (id === undefined || root === undefined || id.trim() === '' || root.length > BOUNDS.word) return undefined
  const isMain = id === root
  const harnessVersion = bounded(version, BOUNDS.word) ?? arrival.harnessVersion
  const common = createEventBase(
    {
      harness: OPENCODE,
      sessionId: root,
      ...(cwd === undefined ? {} : { cwd }),
      ...(read.transcript === undefined ? {} : { transcriptPath: read.transcript }),
      ...(isMain ? {} : { agentId: id, ...(agent === undefined ? {} : { agentType: agent }) }),
      context: readContextMeasure(read.context?.tokens, read.context?.window),
    },
    { ...arrival, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(read, common, isMain)
}
