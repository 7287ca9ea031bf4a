import type { EndReason, SessionEvent, StartSource } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { readContextMeasure } from '../payload/context-measure.ts'
import { hookCommon } from '../payload/hook-facts.ts'
import { type JsonObject, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/own-text.ts'
import { type OpenClawPayload, parsePayload } from './payload.ts'
import { readResult, readToolCall } from './tools.ts'

export const OPENCLAW = 'openclaw'

type Common = ReturnType<typeof hookCommon>
interface Who {
  readonly sessionId: string
  /** Undefined on a session that works for its user. */
  readonly subagent?: string
}
type Reader = (payload: OpenClawPayload, common: Common, who: Who) => SessionEvent | undefined

const SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear', 'compact']
const END_REASONS: Readonly<Record<string, EndReason>> = {
  new: 'clear',
  reset: 'clear',
  shutdown: 'exit',
  restart: 'exit',
}

/** The context of a legacy event stands inside it. */
function contextOf(payload: OpenClawPayload): JsonObject {
  return objectOf(payload.event.context)
}

/** OpenClaw puts the time before what a user wrote on a channel. */
const CLOCK = /^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]]{0,12}\] /

/** Runs that nobody asked for: a heartbeat, a timer, another session. */
function isFromUser({ ctx }: OpenClawPayload): boolean {
  const trigger = textOf(ctx.trigger)
  const { kind } = objectOf(ctx.inputProvenance)
  return (trigger === undefined || trigger === 'user') && (kind === undefined || kind === 'external_user')
}

function prompt(
  payload: OpenClawPayload,
  text: unknown,
  key: string | undefined,
  common: Common,
): SessionEvent | undefined {
  const said = isFromUser(payload) ? textOf(text) : undefined
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

function compacted(tokensBefore: number | undefined, tokensAfter: number | undefined, common: Common): SessionEvent {
  return {
    kind: 'compaction-finished',
    ...common('compaction-finished'),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(tokensAfter === undefined ? {} : { tokensAfter }),
  }
}

function ended(common: Common, reason: EndReason): SessionEvent {
  return { kind: 'session-ended', ...common('session-ended'), reason }
}

const MAIN_ONLY: Readonly<Record<string, Reader>> = {
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
      // `/new` names the session itself as the one before it (2026.9.6).
      ...(previous === undefined || previous === sessionId ? {} : { previousSessionKey: SessionKey(previous) }),
    }
  },
  before_prompt_build: (payload, common) =>
    prompt(
      payload,
      payload.event.prompt,
      textOf(payload.event.currentUserMessageId) ?? textOf(payload.ctx.runId),
      common,
    ),
  session_end: (payload, common) => ended(common, END_REASONS[textOf(payload.event.reason) ?? ''] ?? 'other'),
  gateway_stop: (payload, common) => (payload.session?.id === undefined ? undefined : ended(common, 'exit')),

  // What the legacy hook tells: no tools and no turns, but every session and every compaction.
  'agent:bootstrap': (payload, common) => ({
    kind: 'session-started',
    ...common('session-started'),
    source: SOURCES.find((known) => known === payload.source) ?? 'startup',
  }),
  'message:received': (payload, common) =>
    prompt(payload, contextOf(payload).content, textOf(contextOf(payload).messageId), common),
  'command:new': (_payload, common) => ended(common, 'clear'),
  'command:reset': (_payload, common) => ended(common, 'clear'),
  'session:auto-reset': (_payload, common) => ended(common, 'other'),
  'gateway:shutdown': (payload, common) => (payload.session?.id === undefined ? undefined : ended(common, 'exit')),
}

const READERS: Readonly<Record<string, Reader>> = {
  before_tool_call(payload, common) {
    const { toolName, params, toolCallId } = payload.event
    const name = textOf(toolName)
    if (name === undefined) return undefined
    const call = readToolCall(name, params, textOf(toolCallId))
    return { kind: 'tool-started', ...common('tool-started', textOf(toolCallId)), tool: call }
  },
  after_tool_call(payload, common) {
    const { toolName, params, toolCallId, result, error, durationMs } = payload.event
    const name = textOf(toolName)
    if (name === undefined) return undefined
    const call = readToolCall(name, params, textOf(toolCallId))
    const outcome = readResult(call, { result, error, durationMs })
    return { kind: 'tool-finished', ...common('tool-finished', textOf(toolCallId)), tool: call, outcome }
  },
  agent_end(payload, common, { subagent }) {
    if (subagent !== undefined) return undefined
    const { lastMessage, runId } = payload.event
    const said = bounded(withoutOwnText(textOf(lastMessage) ?? ''), BOUNDS.message)
    const key = textOf(runId) ?? textOf(payload.ctx.runId)
    return { kind: 'turn-ended', ...common('turn-ended', key), ...(said === undefined ? {} : { lastMessage: said }) }
  },
  before_compaction: (_payload, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started'),
    trigger: 'auto',
  }),
  after_compaction: (payload, common) => compacted(payload.tokensBefore, numberOf(payload.event.tokenCount), common),
  'session:compact:before': (_payload, common) => ({
    kind: 'compaction-started',
    ...common('compaction-started'),
    trigger: 'auto',
  }),
  'session:compact:after': (payload, common) =>
    compacted(numberOf(contextOf(payload).tokensBefore), numberOf(contextOf(payload).tokensAfter), common),
  subagent_spawned: (payload, common, { subagent }) =>
    subagent === undefined
      ? undefined
      : { kind: 'subagent-started', ...common('subagent-started', textOf(payload.event.runId)) },
  /** Said of a user's own session too, when that is reset (2026.9.6). */
  subagent_ended: (payload, common, { subagent }) =>
    subagent === undefined || payload.event.targetKind === 'acp'
      ? undefined
      : { kind: 'subagent-finished', ...common('subagent-finished', textOf(payload.event.runId)) },
}

/** Which session an event belongs to; undefined for one of a subagent whose session nobody knows. */
function whoOf(payload: OpenClawPayload): Who | undefined {
  const context = contextOf(payload)
  const [before, now] = [objectOf(context.previousSessionEntry), objectOf(context.sessionEntry)]
  const { session } = payload
  const said = [
    session?.id,
    payload.ctx.sessionId,
    payload.event.sessionId,
    context.sessionId,
    before.sessionId,
    now.sessionId,
  ]
  const id = said.map(textOf).find((one) => one !== undefined && one.trim() !== '')
  const key = session?.key ?? textOf(payload.ctx.sessionKey) ?? textOf(payload.event.sessionKey)
  const isChild = session?.isChild ?? key?.includes(':subagent:') ?? false
  const sessionId = isChild ? session?.root : (session?.root ?? id)
  if (sessionId === undefined || sessionId.trim() === '' || sessionId.length > BOUNDS.word) return undefined
  return { sessionId, ...(isChild ? { subagent: key ?? id ?? 'subagent' } : {}) }
}

export function readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined {
  const isMainOnly = Object.hasOwn(MAIN_ONLY, hook)
  const reader = isMainOnly ? MAIN_ONLY[hook] : Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const read = parsePayload(hook, payload)
  const who = whoOf(read)
  if (who === undefined || (isMainOnly && who.subagent !== undefined)) return undefined
  const context = contextOf(read)
  const cwd =
    read.session?.workspace ?? textOf(read.ctx.workspaceDir) ?? textOf(context.workspaceDir) ?? textOf(read.event.cwd)
  const harnessVersion = bounded(read.version, BOUNDS.word) ?? receipt.harnessVersion
  const common = hookCommon(
    {
      harness: OPENCLAW,
      sessionId: who.sessionId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(who.subagent === undefined ? {} : { agentId: who.subagent }),
      context: readContextMeasure(read.context?.tokens, read.context?.window),
    },
    { ...receipt, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(read, common, who)
}
