import type { SessionEvent } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPrompt } from '../payload/bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { readContextMeasure } from '../payload/context-measure.ts'
import { type EventCommon, hookCommon } from '../payload/hook-facts.ts'
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { withoutOwnText } from '../payload/own-text.ts'
import { type OpenCodePayload, parsePayload } from './payload.ts'
import { readResult, readToolCall } from './tools.ts'

export const OPENCODE = 'opencode'

type Common = ReturnType<typeof hookCommon>
type Reader = (payload: OpenCodePayload, common: Common, isMain: boolean) => SessionEvent | undefined

function propertiesOf(payload: OpenCodePayload): JsonObject {
  return objectOf(objectOf(payload.input.event).properties)
}

/** What a person wrote; the parts that OpenCode or a plugin put beside it are marked. */
function promptOf(parts: unknown): string | undefined {
  const texts = listOf(parts)
    .map(objectOf)
    .filter((part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true)
    .flatMap((part) => textOf(part.text) ?? [])
  return boundedPrompt(withoutOwnText(texts.join('\n')))
}

function started(common: EventCommon, source: 'startup' | 'resume' | 'compact', model?: string): SessionEvent {
  return { kind: 'session-started', ...common, source, ...(model === undefined ? {} : { model }) }
}

const READERS: Readonly<Record<string, Reader>> = {
  'session.created'(payload, common, isMain) {
    const id = textOf(propertiesOf(payload).sessionID)
    if (!isMain) return { kind: 'subagent-started', ...common('subagent-started', id) }
    return started(common('session-started', 'created'), 'startup')
  },

  /** The plugin's own: a session that this process did not create, or that goes on after a compaction. */
  'session.opened'(payload, common, isMain) {
    if (!isMain) return undefined
    if (payload.source !== 'compact') return started(common('session-started'), 'resume')
    return started(common('session-started', payload.id === undefined ? undefined : `compact-${payload.id}`), 'compact')
  },

  'chat.message'(payload, common, isMain) {
    // What a subagent is asked is no prompt of the user's.
    const prompt = isMain ? promptOf(payload.output.parts) : undefined
    if (prompt === undefined) return undefined
    const promptId = bounded(objectOf(payload.output.message).id, BOUNDS.word)
    return {
      kind: 'prompt-submitted',
      ...common('prompt-submitted', promptId),
      prompt,
      ...(promptId === undefined ? {} : { promptId }),
    }
  },

  'tool.execute.before'(payload, common) {
    const { tool, callID } = payload.input
    const name = textOf(tool)
    if (name === undefined) return undefined
    const call = readToolCall(name, payload.output.args, textOf(callID))
    return { kind: 'tool-started', ...common('tool-started', textOf(callID)), tool: call }
  },

  'tool.execute.after'(payload, common) {
    const { tool, callID, args } = payload.input
    const name = textOf(tool)
    if (name === undefined) return undefined
    const call = readToolCall(name, args, textOf(callID), payload.output.metadata)
    const outcome = readResult(call, { output: payload.output })
    return { kind: 'tool-finished', ...common('tool-finished', textOf(callID)), tool: call, outcome }
  },

  /** OpenCode calls no hook after a tool that threw, or whose arguments were wrong; its part says so. */
  'message.part.updated'(payload, common) {
    const { type, tool, callID, state } = objectOf(propertiesOf(payload).part)
    const { status, input, error, time } = objectOf(state)
    const name = textOf(tool)
    if (type !== 'tool' || status !== 'error' || name === undefined) return undefined
    const call = readToolCall(name, input, textOf(callID))
    const { start, end } = objectOf(time)
    const [from, to] = [numberOf(start), numberOf(end)]
    const outcome = readResult(call, {
      output: {},
      error: textOf(error) ?? 'The tool failed.',
      ...(from === undefined || to === undefined || to < from ? {} : { durationMs: to - from }),
    })
    return { kind: 'tool-finished', ...common('tool-finished', textOf(callID)), tool: call, outcome }
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

/** Which session an event belongs to, and whether it is of a subagent: a child session, which OpenCode runs inside another. */
function whoOf(payload: OpenCodePayload) {
  const properties = propertiesOf(payload)
  const info = objectOf(properties.info)
  const id = payload.session?.id ?? textOf(payload.input.sessionID) ?? textOf(properties.sessionID) ?? textOf(info.id)
  const root = payload.session?.root ?? textOf(info.parentID) ?? id
  const agent = payload.session?.agent ?? textOf(info.agent)
  const cwd = payload.session?.directory ?? textOf(info.directory) ?? payload.directory
  return { id, root, agent, cwd, version: payload.session?.version ?? textOf(info.version) }
}

export function readEvent(hook: string, payload: unknown, receipt: Receipt): SessionEvent | undefined {
  const reader = Object.hasOwn(READERS, hook) ? READERS[hook] : undefined
  if (reader === undefined) return undefined
  const read = parsePayload(hook, payload)
  const { id, root, agent, cwd, version } = whoOf(read)
  if (id === undefined || root === undefined || id.trim() === '' || root.length > BOUNDS.word) return undefined
  const isMain = id === root
  const harnessVersion = bounded(version, BOUNDS.word) ?? receipt.harnessVersion
  const common = hookCommon(
    {
      harness: OPENCODE,
      sessionId: root,
      ...(cwd === undefined ? {} : { cwd }),
      ...(read.transcript === undefined ? {} : { transcriptPath: read.transcript }),
      ...(isMain ? {} : { agentId: id, ...(agent === undefined ? {} : { agentType: agent }) }),
      context: readContextMeasure(read.context?.tokens, read.context?.window),
    },
    { ...receipt, ...(harnessVersion === undefined ? {} : { harnessVersion }) },
  )
  return reader(read, common, isMain)
}
