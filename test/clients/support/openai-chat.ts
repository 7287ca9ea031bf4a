import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ModelProtocol, type ProtocolReply, type ProtocolRequest, jsonReply } from './model-protocol.ts'
import type { Asked, Purpose, Step } from './model-script.ts'
import { withoutRecoveryBlocks } from './recovery-block.ts'

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()]).optional()
const Message = z.looseObject({ role: z.string(), content: Content })
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(Message),
  tools: z.array(z.looseObject({})).default([]),
})
type Body = z.infer<typeof Body>

const USUAL_CONTEXT_TOKENS = 1200
const OUTPUT_TOKENS = 25

/** How the clients that speak this protocol ask for a summary: OpenCode 1.18.33 and OpenClaw 2026.9.6, each by an agent of its own. */
const SUMMARIZER = /context summarization a(?:gent|ssistant)/i

/** What OpenClaw 2026.9.6 puts into a user message although no user said it. */
const CLIENT_TEXT = /^\s*<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>/

function textsOf(content: z.infer<typeof Content>): readonly string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).flatMap((block) => block.text ?? [])
}

function textOfRole(body: Body, role: string): readonly string[] {
  return body.messages.filter((message) => message.role === role).flatMap((message) => textsOf(message.content))
}

function purposeOf(body: Body): Purpose {
  const system = textOfRole(body, 'system').join('\n')
  if (SUMMARIZER.test(system)) return 'summary'
  return body.tools.length === 0 ? 'side' : 'turn'
}

function headerOf(request: ProtocolRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** OpenCode says it in a header, OpenClaw in a line behind the prompt. */
function conversationOf(request: ProtocolRequest, userTexts: readonly string[]): string | undefined {
  const lines = [...userTexts.join('\n').matchAll(/ sessionId=([\w-]+) /g)]
  return headerOf(request, 'x-session-id') ?? lines.at(-1)?.[1]
}

function readAsked(request: ProtocolRequest, body: Body): Asked {
  const userTexts = textOfRole(body, 'user')
    .map(withoutRecoveryBlocks)
    .filter((text) => text.trim() !== '' && !CLIENT_TEXT.test(text))
  return {
    conversation: conversationOf(request, userTexts),
    purpose: purposeOf(body),
    userTexts,
    seen: body.messages.flatMap((message) => textsOf(message.content)).join('\n\n'),
  }
}

type Answer = Exclude<Step, { kind: 'error' }>

function toolCallsOf(step: Answer) {
  if (step.kind !== 'tool') return undefined
  const call = { name: step.tool, arguments: JSON.stringify(step.input) }
  return [{ index: 0, id: `call_scripted_${randomUUID().replaceAll('-', '')}`, type: 'function', function: call }]
}

function usageOf(step: Answer) {
  const prompt = step.contextTokens ?? USUAL_CONTEXT_TOKENS
  return { prompt_tokens: prompt, completion_tokens: OUTPUT_TOKENS, total_tokens: prompt + OUTPUT_TOKENS }
}

function wholeReply(body: Body, step: Answer): ProtocolReply {
  const tool_calls = toolCallsOf(step)
  const message = { role: 'assistant', content: step.kind === 'say' ? step.text : null, tool_calls }
  const choice = { index: 0, message, finish_reason: tool_calls === undefined ? 'stop' : 'tool_calls' }
  const id = `chatcmpl-${randomUUID()}`
  const created = Math.floor(Date.now() / 1000)
  return jsonReply(200, {
    id,
    object: 'chat.completion',
    created,
    model: body.model,
    choices: [choice],
    usage: usageOf(step),
  })
}

function streamedReply(body: Body, step: Answer): ProtocolReply {
  const tool_calls = toolCallsOf(step)
  const base = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', model: body.model }
  const created = Math.floor(Date.now() / 1000)
  const chunk = (delta: object, finish_reason: string | null, usage?: object) => ({
    ...base,
    created,
    choices: [{ index: 0, delta, finish_reason }],
    ...(usage === undefined ? {} : { usage }),
  })
  const said = tool_calls === undefined ? { content: step.kind === 'say' ? step.text : '' } : { tool_calls }
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    chunk(said, null),
    chunk({}, tool_calls === undefined ? 'stop' : 'tool_calls', usageOf(step)),
  ]
  const lines = [...chunks.map((part) => JSON.stringify(part)), '[DONE]'].map((line) => `data: ${line}\n\n`)
  return { status: 200, contentType: 'text/event-stream', body: lines.join('') }
}

function answerChat(request: ProtocolRequest, play: (asked: Asked) => Step): ProtocolReply {
  const parsed = Body.safeParse(request.body)
  if (!parsed.success) return jsonReply(400, { error: { message: z.prettifyError(parsed.error) } })
  const asked = readAsked(request, parsed.data)
  const step = play(asked)
  if (step.kind === 'error') return { ...jsonReply(step.status, { error: { message: 'scripted error' } }), asked }
  return { ...(parsed.data.stream ? streamedReply : wholeReply)(parsed.data, step), asked }
}

/** OpenAI's Chat Completions, which OpenCode and OpenClaw speak to models of other makers. */
export const openAiChat: ModelProtocol = {
  name: 'openai-chat',
  answer(request, play) {
    const isChat = request.method === 'POST' && request.path.endsWith('/chat/completions')
    return isChat ? answerChat(request, play) : undefined
  },
}
