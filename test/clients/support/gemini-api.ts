import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ModelProtocol, type ProtocolReply, type ProtocolRequest, jsonReply } from './model-protocol.ts'
import { type Asked, type Purpose, type Step, SUMMARY } from './model-script.ts'

const Part = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.record(z.string(), z.unknown()).default({}) }).optional(),
})
const Content = z.looseObject({ role: z.string().optional(), parts: z.array(Part).default([]) })
const Body = z.looseObject({
  contents: z.array(Content).default([]),
  systemInstruction: Content.optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(z.looseObject({})).optional() })).default([]),
  generationConfig: z
    .looseObject({ responseMimeType: z.string().optional(), responseJsonSchema: z.unknown().optional() })
    .default({}),
})
type Body = z.infer<typeof Body>

const USUAL_CONTEXT_TOKENS = 1200
const OUTPUT_TOKENS = 25

/** Gemini CLI 0.61 asks its summariser for this element, and answers its own questions in JSON. */
const SNAPSHOT = '<state_snapshot>'
const OWN_ANSWERS = {
  reasoning: 'scripted',
  next_speaker: 'user',
  complexity_reasoning: 'scripted',
  complexity_score: 1,
  model_choice: 'flash',
}

/** No request of Gemini CLI tells its session; a setup here has one client. */
const CONVERSATION = 'gemini-cli'

const CLIENT_TEXT = /^\s*<(?:session_context|hook_context|state_snapshot)>/

/** As the model reads it: the newlines of the result, not those of the JSON around it. */
function textsOf(parts: readonly z.infer<typeof Part>[]): readonly string[] {
  return parts.flatMap(({ text, functionResponse }) => [
    ...(text === undefined ? [] : [text]),
    ...Object.values(functionResponse?.response ?? {}).map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    ),
  ])
}

function purposeOf(body: Body, system: string): Purpose {
  const { responseMimeType, responseJsonSchema } = body.generationConfig
  if (responseMimeType === 'application/json' || responseJsonSchema !== undefined) return 'side'
  const hasTools = body.tools.some((tool) => (tool.functionDeclarations ?? []).length > 0)
  if (hasTools) return 'turn'
  return system.includes(SNAPSHOT) ? 'summary' : 'side'
}

function readAsked(body: Body): Asked {
  const system = textsOf(body.systemInstruction?.parts ?? []).join('\n')
  const users = body.contents
    .filter((content) => content.role !== 'model')
    .flatMap((content) => content.parts.flatMap((part) => part.text ?? []))
  return {
    conversation: CONVERSATION,
    purpose: purposeOf(body, system),
    // What hooks said stands before the user's words, in the same text.
    userTexts: users
      .filter((text) => !text.trimStart().startsWith('<session_context>'))
      .map((text) => text.replaceAll(/<hook_context>[\s\S]*?<\/hook_context>/g, ''))
      .filter((text) => text.trim() !== '' && !CLIENT_TEXT.test(text)),
    seen: [system, ...body.contents.flatMap((content) => textsOf(content.parts))].join('\n\n'),
  }
}

type Answer = Exclude<Step, { kind: 'error' }>

function partOf(step: Answer, purpose: Purpose) {
  if (purpose === 'side') return { text: JSON.stringify(OWN_ANSWERS) }
  if (purpose === 'summary') return { text: `${SNAPSHOT}<overall_goal>${SUMMARY}</overall_goal></state_snapshot>` }
  if (step.kind === 'say') return { text: step.text }
  return { functionCall: { id: `fc_${randomUUID()}`, name: step.tool, args: step.input } }
}

function answerGenerate(request: ProtocolRequest, play: (asked: Asked) => Step): ProtocolReply {
  const parsed = Body.safeParse(request.body)
  if (!parsed.success) return jsonReply(400, { error: { code: 400, message: z.prettifyError(parsed.error) } })
  const asked = readAsked(parsed.data)
  const step = play(asked)
  if (step.kind === 'error') {
    const error = { code: step.status, message: 'scripted error', status: 'INVALID_ARGUMENT' }
    return { ...jsonReply(step.status, { error }), asked }
  }
  const promptTokenCount = step.contextTokens ?? USUAL_CONTEXT_TOKENS
  const chunk = {
    candidates: [{ index: 0, content: { role: 'model', parts: [partOf(step, asked.purpose)] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount: OUTPUT_TOKENS,
      totalTokenCount: promptTokenCount + OUTPUT_TOKENS,
    },
    modelVersion: 'scripted',
    responseId: randomUUID(),
  }
  if (!request.path.endsWith(':streamGenerateContent')) return { ...jsonReply(200, chunk), asked }
  return { status: 200, contentType: 'text/event-stream', body: `data: ${JSON.stringify(chunk)}\n\n`, asked }
}

/** Google's Gemini API, which Gemini CLI speaks. */
export const geminiApi: ModelProtocol = {
  name: 'gemini-api',
  answer(request, play) {
    const [, verb] = /\/models\/[^/]+:(\w+)$/.exec(request.path) ?? []
    if (verb === 'countTokens') return jsonReply(200, { totalTokens: USUAL_CONTEXT_TOKENS })
    if (verb === 'generateContent' || verb === 'streamGenerateContent') return answerGenerate(request, play)
    return undefined
  },
}
