import * as z from 'zod'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { MemoryBackend } from '../model/memory-backend.ts'
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

/** Accepts http and https without credentials, which a log could show. */
function parseBaseUrl(address: string): string {
  let url: URL
  try {
    url = new URL(address)
  } catch (cause) {
    throw new HoldfastError('invalid-input', 'LOCAL_MEMORY_BASE_URL is not a valid URL.', { cause })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new HoldfastError('invalid-input', `LOCAL_MEMORY_BASE_URL starts with ${url.protocol}; use http: or https:.`)
  if (url.username !== '' || url.password !== '')
    throw new HoldfastError('invalid-input', 'LOCAL_MEMORY_BASE_URL contains credentials; use LOCAL_MEMORY_API_KEY.')
  return url.href.replace(/\/+$/, '')
}

/** The memory backend at `LOCAL_MEMORY_BASE_URL`, over REST. A call that the backend does not confirm fails. */
export function createRestMemory({ baseUrl, apiKey, timeoutMs = TIMEOUT_MS }: RestMemoryOptions): MemoryBackend {
  const base = parseBaseUrl(baseUrl)

  async function send(method: string, path: string, body?: unknown): Promise<{ status: number; json: () => unknown }> {
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
        // A redirect target would receive the key.
        redirect: 'error',
      })
      const text = await reply.text()
      return { status: reply.status, json: () => parseJson(text.slice(0, MAX_REPLY_CHARS)) }
    } catch (cause) {
      throw new HoldfastError('not-found', `The memory backend at ${base} did not answer: ${getErrorMessage(cause)}`, {
        cause,
      })
    }
  }

  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, json } = await send(method, path, body)
    if (status >= 200 && status < 300) return json()
    throw new HoldfastError('not-found', `The memory backend at ${base} answered ${method} with ${status}.`)
  }

  const at = (id: string) => `/memories/${encodeURIComponent(id)}`

  return {
    name: base,
    async store({ content, importance, tags }) {
      const body = { content, domain: DOMAIN, importance, source: 'holdfast', tags }
      return { id: parse(Stored, await request('POST', '/memories', body)) }
    },
    async update(id, { content, importance, tags }) {
      await request('PUT', at(id), { content, importance, tags })
      return { id }
    },
    async find(id) {
      const { status, json } = await send('GET', at(id))
      if (status === 404) return undefined
      if (status < 200 || status >= 300)
        throw new HoldfastError('not-found', `The memory backend at ${base} answered GET with ${status}.`)
      return asMemory(parse(Found, json()))
    },
    async search(query, limit) {
      const params = new URLSearchParams({ query, limit: String(limit), domain: DOMAIN })
      return parse(Hits, await request('GET', `/memories/search?${params.toString()}`)).map(asMemory)
    },
  }
}

/** The backend that the environment configures, else `tasks.memoryUrl`; undefined if there is neither. */
export function createRestMemoryFromEnv(env: NodeJS.ProcessEnv, memoryUrl: string): MemoryBackend | undefined {
  const baseUrl = env.LOCAL_MEMORY_BASE_URL || env.MEMORY_ADAPTER_BASE_URL || memoryUrl
  const apiKey = env.LOCAL_MEMORY_API_KEY || env.MEMORY_ADAPTER_API_KEY
  if (!baseUrl) return undefined
  return createRestMemory({ baseUrl, ...(apiKey ? { apiKey } : {}) })
}
