import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ModelProtocol, type ProtocolReply, type ProtocolRequest, jsonReply } from './model-protocol.ts'
import type { Asked, Purpose, Step } from './model-script.ts'

const Block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })
const Content = z.union([z.string(), z.array(Block)])
const Message = z.looseObject({ role: z.string(), content: Content })
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: Content.optional(),
  messages: z.array(Message),
  tools: z.array(z.looseObject({})).default([]),
  output_config: z.looseObject({ format: z.looseObject({ type: z.string() }).optional() }).optional(),
})
type Body = z.infer<typeof Body>

const USUAL_CONTEXT_TOKENS = 1200
const OUTPUT_TOKENS = 25

/** Claude Code 2.1.325 asks its summariser in a user message at the end, after any tool results. */
const SUMMARY_REQUEST = /create a detailed summary of/i

/** What Claude Code wraps in a user message although no user said it. */
const CLIENT_TEXT = /^\s*<(system-reminder|command-|local-command-)|^This session is being continued from/

function blocksOf(content: z.infer<typeof Content>): readonly z.infer<typeof Block>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function textsOf(content: unknown): readonly string[] {
  const parsed = Content.safeParse(content)
  if (!parsed.success) return []
  return blocksOf(parsed.data).flatMap((block) => [
    ...(block.text === undefined ? [] : [block.text]),
    ...textsOf(block.content),
  ])
}

function userTextsOf(body: Body): readonly string[] {
  return body.messages
    .filter((message) => message.role === 'user')
    .flatMap((message) => blocksOf(message.content))
    .flatMap((block) => (block.type === 'text' && block.text !== undefined ? [block.text] : []))
    .filter((text) => !CLIENT_TEXT.test(text))
}

function purposeOf(body: Body, userTexts: readonly string[]): Purpose {
  if (SUMMARY_REQUEST.test(userTexts.at(-1) ?? '')) return 'summary'
  const wantsJson = body.output_config?.format?.type === 'json_schema'
  return wantsJson || body.tools.length === 0 ? 'side' : 'turn'
}

function readAsked(request: ProtocolRequest, body: Body): Asked {
  const userTexts = userTextsOf(body)
  const session = request.headers['x-claude-code-session-id']
  const all = [...textsOf(body.system), ...body.messages.flatMap((message) => textsOf(message.content))]
  return {
    conversation: typeof session === 'string' ? session : undefined,
    purpose: purposeOf(body, userTexts),
    userTexts,
    seen: all.join('\n\n'),
  }
}

/** Unique over restarts: Claude Code drops a tool call whose id it has seen when it resumes a session. */
function uniqueId(prefix: string): string {
  return `${prefix}_scripted_${randomUUID().replaceAll('-', '')}`
}

function contentOf(step: Exclude<Step, { kind: 'error' }>) {
  if (step.kind === 'say') return [{ type: 'text', text: step.text } as const]
  return [{ type: 'tool_use', id: uniqueId('toolu'), name: step.tool, input: step.input } as const]
}

function messageOf(body: Body, step: Exclude<Step, { kind: 'error' }>) {
  return {
    id: uniqueId('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: contentOf(step),
    stop_reason: step.kind === 'tool' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: step.contextTokens ?? USUAL_CONTEXT_TOKENS,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: OUTPUT_TOKENS,
      service_tier: 'standard',
    },
  }
}

function* streamEvents(message: ReturnType<typeof messageOf>) {
  const { content, stop_reason, stop_sequence, usage } = message
  yield {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  }
  for (const [index, block] of content.entries()) {
    const isText = block.type === 'text'
    const start = isText ? { type: 'text', text: '' } : { ...block, input: {} }
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    yield { type: 'content_block_start', index, content_block: start }
    yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }
  yield { type: 'message_stop' }
}

function errorReply(status: number, message: string): ProtocolReply {
  return jsonReply(status, { type: 'error', error: { type: 'api_error', message } })
}

function answerMessages(request: ProtocolRequest, play: (asked: Asked) => Step): ProtocolReply {
  const parsed = Body.safeParse(request.body)
  if (!parsed.success) return errorReply(400, `Not a Messages request: ${z.prettifyError(parsed.error)}`)
  const asked = readAsked(request, parsed.data)
  const step = play(asked)
  if (step.kind === 'error') return { ...errorReply(step.status, 'scripted error'), asked }
  const message = messageOf(parsed.data, step)
  if (!parsed.data.stream) return { ...jsonReply(200, message), asked }
  const events = [...streamEvents(message)].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  return { status: 200, contentType: 'text/event-stream', body: events.join(''), asked }
}

export const anthropicMessages: ModelProtocol = {
  name: 'anthropic-messages',
  answer(request, play) {
    if (request.method === 'POST' && request.path === '/v1/messages') return answerMessages(request, play)
    if (request.method === 'POST' && request.path === '/v1/messages/count_tokens')
      return jsonReply(200, { input_tokens: USUAL_CONTEXT_TOKENS })
    if (request.method === 'GET' && request.path === '/v1/models')
      return jsonReply(200, { data: [], has_more: false, first_id: null, last_id: null })
    return undefined
  },
}
