import * as z from 'zod'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { MemoryAdapter } from '../model/memory-adapter.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'

const TIMEOUT_MS = 5_000
const MAX_REPLY_CHARS = 4_000_000
const DOMAIN = 'governance'

const Id = z.union([z.string().min(1), z.number().transform(String)])
const Item = z.looseObject({
  id: Id,
  content: z.string().optional(),
  text: z.string().optional(),
  tags: z.array(z.string()).nullish(),
  created_at: z.string().nullish(),
  similarity: z.number().nullish(),
  score: z.number().nullish(),
})
const Stored = z.union([
  z.object({ success: z.literal(true).optional(), data: z.looseObject({ id: Id }) }).transform(({ data }) => data.id),
  z.looseObject({ id: Id }).transform(({ id }) => id),
])
const Found = z.union([z.object({ data: Item }).transform(({ data }) => data), Item])
const Hits = z.union([
  z.object({ data: z.array(Item) }).transform(({ data }) => data),
  z.object({ memories: z.array(Item) }).transform(({ memories }) => memories),
])

export interface RestMemoryOptions {
  readonly baseUrl: string
  readonly apiKey?: string
  readonly timeoutMs?: number
}

function asMemory({ id, content, text, tags, created_at: createdAt, similarity, score }: z.output<typeof Item>) {
  const closeness = similarity ?? score ?? undefined
  return {
    id,
    content: content ?? text ?? '',
    tags: tags ?? [],
    ...(typeof createdAt === 'string' && { createdAt }),
    ...(closeness !== undefined && { similarity: closeness }),
  }
}

/** A base address of our own choosing: http or https, and no login in it that a log could show. */
function baseOf(address: string): string {
  let url: URL
  try {
    url = new URL(address)
  } catch (cause) {
    throw new HoldfastError('invalid-input', 'LOCAL_MEMORY_BASE_URL is no address.', { cause })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new HoldfastError(
      'invalid-input',
      `LOCAL_MEMORY_BASE_URL begins with ${url.protocol}; http: or https: is needed.`,
    )
  if (url.username !== '' || url.password !== '')
    throw new HoldfastError('invalid-input', 'LOCAL_MEMORY_BASE_URL holds a login; LOCAL_MEMORY_API_KEY is for that.')
  return url.href.replace(/\/+$/, '')
}

/** S2's Memory Adapter over REST. What it does not confirm did not happen. */
export function createRestMemory({ baseUrl, apiKey, timeoutMs = TIMEOUT_MS }: RestMemoryOptions): MemoryAdapter {
  const base = baseOf(baseUrl)

  async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: () => unknown }> {
    try {
      const reply = await fetch(`${base}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
        // A keeper that sends its callers elsewhere would be sent the key as well.
        redirect: 'error',
      })
      const text = await reply.text()
      return { status: reply.status, json: () => parseJson(text.slice(0, MAX_REPLY_CHARS)) }
    } catch (cause) {
      throw new HoldfastError('not-found', `The memory keeper at ${base} did not answer: ${messageOf(cause)}`, {
        cause,
      })
    }
  }

  async function told(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, json } = await ask(method, path, body)
    if (status >= 200 && status < 300) return json()
    throw new HoldfastError('not-found', `The memory keeper at ${base} answered ${method} with ${status}.`)
  }

  const at = (id: string) => `/memories/${encodeURIComponent(id)}`

  return {
    name: base,
    async store({ content, importance, tags }) {
      const body = { content, domain: DOMAIN, importance, source: 'holdfast', tags }
      return { id: parse(Stored, await told('POST', '/memories', body)) }
    },
    async update(id, { content, importance, tags }) {
      await told('PUT', at(id), { content, importance, tags })
      return { id }
    },
    async find(id) {
      const { status, json } = await ask('GET', at(id))
      if (status === 404) return undefined
      if (status < 200 || status >= 300)
        throw new HoldfastError('not-found', `The memory keeper at ${base} answered GET with ${status}.`)
      return asMemory(parse(Found, json()))
    },
    async search(query, limit) {
      const asked = new URLSearchParams({ query, limit: String(limit), domain: DOMAIN })
      return parse(Hits, await told('GET', `/memories/search?${asked.toString()}`)).map(asMemory)
    },
  }
}

/** The keeper that the environment names; undefined when it names none. */
export function restMemoryOf(env: NodeJS.ProcessEnv): MemoryAdapter | undefined {
  const baseUrl = env.LOCAL_MEMORY_BASE_URL || env.MEMORY_ADAPTER_BASE_URL
  const apiKey = env.LOCAL_MEMORY_API_KEY || env.MEMORY_ADAPTER_API_KEY
  if (!baseUrl) return undefined
  return createRestMemory({ baseUrl, ...(apiKey ? { apiKey } : {}) })
}
