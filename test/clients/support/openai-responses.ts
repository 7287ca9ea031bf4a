import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ModelProtocol, type ProtocolReply, type ProtocolRequest, jsonReply } from './model-protocol.ts'
import type { Asked, Purpose, Step } from './model-script.ts'

const Part = z.looseObject({ text: z.string().optional() })
const Content = z.union([z.string(), z.array(Part)]).optional()
const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: Content,
  output: Content,
})
const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string() })).optional(),
})
const Body = z.looseObject({
  model: z.string(),
  instructions: z.string().optional(),
  input: z.array(Item),
  tools: z.array(Tool).default([]),
})
type Body = z.infer<typeof Body>

const TurnFacts = z.looseObject({ thread_id: z.string().optional(), request_kind: z.string().optional() })

const USUAL_CONTEXT_TOKENS = 1200
const OUTPUT_TOKENS = 25

/** What Codex 0.166 puts into user messages although no user said it. */
const CLIENT_TEXT =
  /^\s*(?:<(?:environment_context|user_instructions|skill)|# AGENTS\.md|Another language model started)/

function textsOf(content: z.infer<typeof Content>): readonly string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).flatMap((part) => part.text ?? [])
}

/** Codex says in a header which of its threads asks, and why. */
function factsOf(request: ProtocolRequest): z.infer<typeof TurnFacts> {
  const header = request.headers['x-codex-turn-metadata']
  return typeof header === 'string' ? TurnFacts.parse(JSON.parse(header)) : {}
}

function purposeOf(kind: string | undefined): Purpose {
  if (kind === 'compaction') return 'summary'
  return kind === undefined || kind === 'turn' ? 'turn' : 'side'
}

function readAsked(request: ProtocolRequest, body: Body): Asked {
  const facts = factsOf(request)
  const users = body.input.filter((item) => item.role === 'user').flatMap((item) => textsOf(item.content))
  const all = body.input.flatMap((item) => [...textsOf(item.content), ...textsOf(item.output)])
  return {
    conversation: facts.thread_id,
    purpose: purposeOf(facts.request_kind),
    userTexts: users.filter((text) => !CLIENT_TEXT.test(text)),
    seen: [body.instructions ?? '', ...all].join('\n\n'),
  }
}

const uniqueId = (prefix: string): string => `${prefix}_scripted_${randomUUID().replaceAll('-', '')}`

type Answer = Exclude<Step, { kind: 'error' }>

/** A tool by the name that the script gives: `ns__tool` is the tool of a namespace. */
function findTool(body: Body, name: string) {
  for (const tool of body.tools) {
    if (tool.name === name && tool.tools === undefined) return { name, type: tool.type }
    const inner = tool.tools?.find(
      (known) => `${tool.name?.replace(/__$/, '')}__${known.name}` === name || known.name === name,
    )
    if (inner !== undefined) return { name: inner.name, type: inner.type, namespace: tool.name }
  }
  return { name, type: 'function' }
}

function outputOf(body: Body, step: Answer) {
  if (step.kind === 'say') {
    const content = [{ type: 'output_text', text: step.text, annotations: [] }]
    return { type: 'message', id: uniqueId('msg'), status: 'completed', role: 'assistant', content }
  }
  const { name, type, namespace } = { namespace: undefined, ...findTool(body, step.tool) }
  const call = { call_id: uniqueId('call'), name, status: 'completed' }
  if (type === 'custom') return { type: 'custom_tool_call', id: uniqueId('ctc'), ...call, input: step.input.input }
  return {
    type: 'function_call',
    id: uniqueId('fc'),
    ...call,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(step.input),
  }
}

function streamedReply(body: Body, step: Answer): ProtocolReply {
  const input_tokens = step.contextTokens ?? USUAL_CONTEXT_TOKENS
  const output = outputOf(body, step)
  const response = {
    id: uniqueId('resp'),
    object: 'response',
    model: body.model,
    status: 'completed',
    output: [output],
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: OUTPUT_TOKENS,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + OUTPUT_TOKENS,
    },
  }
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: output },
    { type: 'response.output_item.done', output_index: 0, item: output },
    { type: 'response.completed', response },
  ]
  const lines = events.map((event, index) => {
    const data = JSON.stringify({ ...event, sequence_number: index })
    return `event: ${event.type}\ndata: ${data}\n\n`
  })
  return { status: 200, contentType: 'text/event-stream', body: lines.join('') }
}

function answerResponses(request: ProtocolRequest, play: (asked: Asked) => Step): ProtocolReply {
  const parsed = Body.safeParse(request.body)
  if (!parsed.success) return jsonReply(400, { error: { message: z.prettifyError(parsed.error) } })
  const asked = readAsked(request, parsed.data)
  const step = play(asked)
  if (step.kind === 'error') return { ...jsonReply(step.status, { error: { message: 'scripted error' } }), asked }
  return { ...streamedReply(parsed.data, step), asked }
}

/** OpenAI's Responses, which Codex speaks. */
export const openAiResponses: ModelProtocol = {
  name: 'openai-responses',
  answer(request, play) {
    const isResponse = request.method === 'POST' && request.path.endsWith('/responses')
    return isResponse ? answerResponses(request, play) : undefined
  },
}
