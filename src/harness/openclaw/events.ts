import type { EndReason, SessionEvent, StartSource, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPrompt, lenientText } from '../payload/bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { readContextMeasure, createEventBase } from '../payload/event-base.ts'
import { type JsonObject, asNumber, asObject, asText, readContentText, isObject } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/strip-text.ts'
import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { readOutcome } from '../payload/tool-output.ts'

/** OpenClaw's (2026.9) names of tools that have another usual name. */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  exec: 'bash',
  find: 'glob',
  sessions_spawn: 'task',
  fetch: 'webfetch',
}

/** OpenClaw's own tools with a `_` in their names; any other such name belongs to an MCP server or a plugin. */
const OWN_PREFIX = /^(?:apply|memory|message|session|sessions|subagents|tool|update|web)_/

/** Tools of MCP servers and plugins are called by name through one tool. */
function unwrapCall(name: string, params: unknown): { readonly name: string; readonly params: unknown } {
  const { name: inner, tool, arguments: args, params: passed } = asObject(params)
  const called = asText(inner) ?? asText(tool)
  return name === 'tool_call' && called !== undefined ? { name: called, params: args ?? passed } : { name, params }
}

function readToolCall(tool: string, given: unknown, callId: string | undefined): ToolCall {
  const { name, params } = unwrapCall(tool, given)
  const id = bounded(callId, BOUNDS.word)
  const usual = Object.hasOwn(USUAL_NAMES, name) ? USUAL_NAMES[name] : undefined
  const call = readForeignCall({ name: usual ?? name, input: params, ...(id === undefined ? {} : { callId: id }) })
  const isForeign = call.kind === 'other' && name.includes('_') && !OWN_PREFIX.test(name)
  return { ...call, name: bounded(name, BOUNDS.word) ?? 'unknown', kind: isForeign ? 'mcp' : call.kind }
}

function getDetails(result: unknown): JsonObject {
  return isObject(result) ? asObject(result.details) : {}
}

function readResult(
  call: ToolCall,
  { result, error, durationMs }: { readonly result: unknown; readonly error: unknown; readonly durationMs: unknown },
): ToolOutcome {
  const details = getDetails(result)
  const exitStatus = asNumber(details.exitCode)
  const failure = asText(error)
  const text = failure ?? readContentText(asObject(result).content) ?? asText(result)
  const tookMs = asNumber(durationMs)
  const isFailure = details.status === 'failed' || details.status === 'error' || asObject(result).isError === true
  return readOutcome(call.kind, {
    ok: failure === undefined && (exitStatus ?? 0) === 0 && !isFailure,
    ...(text === undefined ? {} : { text }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(tookMs === undefined || tookMs < 0 ? {} : { durationMs: tookMs }),
    interrupted: details.exitReason === 'aborted' || details.status === 'killed',
  })
}

const loose = z.record(z.string(), z.unknown()).catch({})

/** The plugin's payload: what OpenClaw passed to its hook, and what the plugin knows besides. */
const Payload = z.object({
  event: loose,
  ctx: loose,
  session: z
    .object({
      id: lenientText,
      key: lenientText,
      root: lenientText,
      workspace: lenientText,
      isChild: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** The context's size after the newest model call, and its limit. */
  context: z.object({ tokens: z.unknown(), window: z.unknown() }).partial().optional().catch(undefined),
  source: lenientText,
  previous: lenientText,
  version: lenientText,
  tokensBefore: z.number().nonnegative().optional().catch(undefined),
})
export type OpenClawPayload = z.infer<typeof Payload>

function parsePayload(hook: string, payload: unknown): OpenClawPayload {
  const parsed = Payload.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new HoldfastError('invalid-input', `OpenClaw's ${hook} payload cannot be read: it is not an object.`)
}

export const OPENCLAW = 'openclaw'

type OpenClawBase = ReturnType<typeof createEventBase>
interface EventSession {
  readonly sessionId: string
  /** Undefined for a session that works for its user. */
  readonly subagent?: string
}
type OpenClawHookReader = (
  payload: OpenClawPayload,
  common: OpenClawBase,
  who: EventSession,
) => SessionEvent | undefined

const SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear', 'compact']
const END_REASONS: Readonly<Record<string, EndReason>> = {
  new: 'clear',
  reset: 'clear',
  shutdown: 'exit',
  restart: 'exit',
}

/** A legacy event contains its context. */
function getContext(payload: OpenClawPayload): JsonObject {
  return asObject(payload.event.context)
}

/** OpenClaw puts the time before a user's message on a channel. */
const CLOCK = /^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]]{0,12}\] /

/** False for runs that no user requested: a heartbeat, a timer, another session. */
function isFromUser({ ctx }: OpenClawPayload): boolean {
  const trigger = asText(ctx.trigger)
  const { kind } = asObject(ctx.inputProvenance)
  return (trigger === undefined || trigger === 'user') && (kind === undefined || kind === 'external_user')
}

function readPrompt(
  payload: OpenClawPayload,
  text: unknown,
  key: string | undefined,
  common: OpenClawBase,
): SessionEvent | undefined {
  const said = isFromUser(payload) ? asText(text) : undefined
  const words = boundedPrompt(withoutOwnText(said?.replace(CLOCK, '') ?? ''))
  if (words === undefined) return undefined
  const promptId = bounded(key, BOUNDS.word)
  return {
    kind: 'prompt-submitted',
    ...common('prompt-submitted', promptId),
    prompt: words,
    ...(promptId === undefined ? {} : { promptId }),
  }
}

function createCompaction(
  tokensBefore: number | undefined,
  tokensAfter: number | undefined,
  common: OpenClawBase,
): SessionEvent {
  return {
    kind: 'compaction-finished',
    ...common('compaction-finished'),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(tokensAfter === undefined ? {} : { tokensAfter }),
  }
}

function createEnd(common: OpenClawBase, reason: EndReason): SessionEvent {
  return { kind: 'session-ended', ...common('session-ended'), reason }
}

const MAIN_ONLY: Readonly<Record<string, OpenClawHookReader>> = {
  session_start(payload, common, { sessionId }) {
    const { resumedFrom } = payload.event
    const source =
      SOURCES.find((known) => known === payload.source) ?? (resumedFrom === undefined ? 'startup' : 'resume')
    const previous = bounded(payload.previous ?? resumedFrom, BOUNDS.word)
    const model = bounded(payload.ctx.modelId, BOUNDS.word)
    return {
      kind: 'session-started',
      ...common('session-started'),
      source,
      ...(model === undefined ? {} : { model }),
      // `/new` names the session itself as the previous one (2026.9.6).
      ...(previous === undefined || previous === sessionId ? {} : { previousSessionKey: SessionKey(previous) }),
    }
  },
  before_prompt_build: (payload, common) =>
    readPrompt(
      payload,
      payload.event.prompt,
      asText(payload.event.currentUserMessageId) ?? asText(payload.ctx.runId),
      common,
    ),
  session_end: (payload, common) => createEnd(common, END_REASONS[asText(payload.event.reason) ?? ''] ?? 'other'),
  gateway_stop: (payload, common) => (payload.session?.id === undefined ? undefined : createEnd(common, 'exit')),

  // The legacy hook reports no tools and no turns, but every session and compaction.
  'agent:bootstrap': (payload, common) => ({
    kind: 'session-started',
    ...common('session-started'),
    source: SOURCES.find((known) => known === payload.source) ?? 'startup',
  }),
  'message:received': (payload, common) =>
    readPrompt(payload, getContext(payload).content, asText(getContext(payload).messageId), common),
  'command:new': (_payload, common) => createEnd(common, 'clear'),
  'command:reset': (_payload, common) => createEnd(common, 'clear'),
  'session:auto-reset': (_payload, common) => createEnd(common, 'other'),
  'gateway:shutdown': (payload, common) => (payload.session?.id === undefined ? undefined : createEnd(common, 'exit')),
}

const READERS: Readonly<Record<string, OpenClawHookReader>> = {
  before_tool_call(payload, common) {
    const { toolName, params, toolCallId } = payload.event
    const name = asText(toolName)
    if (name === undefined) return undefined
    const call = readToolCall(name, params, asText(toolCallId))
    return { kind: 'tool-started', ...common('tool-started', asText(toolCallId)), tool: call }
  },
  after_tool_call(payload, common) {
    const { toolName, params, toolCallId, result, error, durationMs } = payload.event
    const name = asText(toolName)
    if (name === undefined) return undefined
    const call = readToolCall(name, params, asText(toolCallId))
    const outcome = readResult(call, { result, error, durationMs })
    return { kind: 'tool-finished', ...common('tool-finished', asText(toolCallId)), tool: call, outcome }
  },
  agent_end(payload, common, { subagent }) {
    if (subagent !== undefined) return undefined
    const { lastMessage, runId } = payload.event
    const said = bounded(withoutOwnText(asText(lastMessage) ?? ''), BOUNDS.message)
    const key = asText(runId) ?? asText(payload.ctx.runId)
    return { kind: 'turn-ended', ...common('turn-ended', key), ...(said === undefined ? {} : { lastMessage: said }) }
  },
  before_compaction: (_payload, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started'),
    trigger: 'auto',
  }),
  after_compaction: (payload, common) =>
    createCompaction(payload.tokensBefore, asNumber(payload.event.tokenCount), common),
  'session:compact:before': (_payload, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started'),
    trigger: 'auto',
  }),
  'session:compact:after': (payload, common) =>
    createCompaction(asNumber(getContext(payload).tokensBefore), asNumber(getContext(payload).tokensAfter), common),
  subagent_spawned: (payload, common, { subagent }) =>
    subagent === undefined
      ? undefined
      : { kind: 'subagent-started', ...common('subagent-started', asText(payload.event.runId)) },
  /** Also called for a user's own session when that is reset (2026.9.6). */
  subagent_ended: (payload, common, { subagent }) =>
    subagent === undefined || payload.event.targetKind === 'acp'
      ? undefined
      : { kind: 'subagent-finished', ...common('subagent-finished', asText(payload.event.runId)) },
}

/** The session of an event; undefined for a subagent whose session is unknown. */
function findSession(payload: OpenClawPayload): EventSession | undefined {
  const context = getContext(payload)
  const [before, now] = [asObject(context.previousSessionEntry), asObject(context.sessionEntry)]
  const { session } = payload
  const said = [
    session?.id,
    payload.ctx.sessionId,
    payload.event.sessionId,
    context.sessionId,
    before.sessionId,
    now.sessionId,
  ]
  const id = said.map(asText).find((one) => one !== undefined && one.trim() !== '')
  const key = session?.key ?? asText(payload.ctx.sessionKey) ?? asText(payload.event.sessionKey)
  const isChild = session?.isChild ?? key?.includes(':subagent:') ?? false
  const sessionId = isChild ? session?.root : (session?.root ?? id)
  if (sessionId === undefined || sessionId.trim() === '' || sessionId.length > BOUNDS.word) return undefined
  return { sessionId, ...(isChild ? { subagent: key ?? id ?? 'subagent' } : {}) }
}

export function readEvent(hook: string, payload: unknown, arrival: Arrival): SessionEvent | undefined {
  const isMainOnly = Object.hasOwn(MAIN_ONLY, hook)
  const reader = isMainOnly ? MAIN_ONLY[hook] : Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const read = parsePayload(hook, payload)
  const who = findSession(read)
  if (who === undefined || (isMainOnly && who.subagent !== undefined)) return undefined
  const context = getContext(read)
  const cwd =
    read.session?.workspace ?? asText(read.ctx.workspaceDir) ?? asText(context.workspaceDir) ?? asText(read.event.cwd)
  const harnessVersion = bounded(read.version, BOUNDS.word) ?? arrival.harnessVersion
  const common = createEventBase(
    {
      harness: OPENCLAW,
      sessionId: who.sessionId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(who.subagent === undefined ? {} : { agentId: who.subagent }),
      context: readContextMeasure(read.context?.tokens, read.context?.window),
    },
    { ...arrival, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(read, common, who)
}
