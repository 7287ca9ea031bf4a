import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { parseJson } from '../../platform/base/json.ts'
import type { DigestWriterSpec } from '../presets.ts'

const MAX_ANSWER_BYTES = 1_000_000
const LOOPBACK = new Set(['localhost', '[::1]'])

const Models = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) })
const Completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })).min(1),
})

/** The text of a session never leaves this machine by this way. */
function requireLoopback(address: string): URL {
  const url = new URL(address.endsWith('/') ? address : `${address}/`)
  const isLocal = LOOPBACK.has(url.hostname) || /^127(?:\.\d{1,3}){3}$/.test(url.hostname)
  if (url.protocol === 'http:' && isLocal) return url
  throw new HoldfastError('invalid-input', `digest.url must be on this machine; it is ${url.origin}.`, {
    hint: 'Set it to a URL such as http://127.0.0.1:11434/v1.',
  })
}

async function readAnswer(response: Response): Promise<unknown> {
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > MAX_ANSWER_BYTES) throw new HoldfastError('too-large', 'The server sent too much.')
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_ANSWER_BYTES) throw new HoldfastError('too-large', 'The server sent too much.')
  }
  if (!response.ok)
    throw new HoldfastError(
      'unsupported',
      `The server answered with status ${response.status}: ${text.slice(0, 200)}`,
      {
        hint: 'Set digest.model to a model that the server has.',
      },
    )
  return parseJson(text)
}

/** Asks a server that speaks the OpenAI protocol (Ollama, llama.cpp, LM Studio, vLLM) on loopback. */
export async function askLocalServer(
  { url, model }: Pick<Extract<DigestWriterSpec, { kind: 'server' }>, 'url' | 'model'>,
  input: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<string> {
  const base = requireLoopback(url)
  const deadline = AbortSignal.timeout(timeoutMs)
  const init = {
    redirect: 'error',
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
  } as const
  const listFirst = async () =>
    Models.parse(await readAnswer(await fetch(new URL('models', base), init))).data[0]?.id ?? ''
  const response = await fetch(new URL('chat/completions', base), {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: model === '' ? await listFirst() : model,
      messages: [{ role: 'user', content: input }],
      stream: false,
    }),
  })
  return Completion.parse(await readAnswer(response)).choices[0]?.message.content ?? ''
}
