import { HEADER } from '../../wire/headers.ts'

type Input = Readonly<Record<string, string | number | boolean | undefined>>

/** The daemon's refusal, or `offline` when it did not answer. */
export class CallError extends Error {
  constructor(
    readonly status: number | 'offline',
    message: string,
    readonly hint: string | undefined,
  ) {
    super(message)
  }
}

const token = document.querySelector<HTMLMetaElement>('meta[name="holdfast-page"]')?.content ?? ''
export const headers: Readonly<Record<string, string>> = { [HEADER.page]: token }

/** Fills `:name` segments from `input`; what is not in the path becomes the query string. */
function toUrl(path: string, input: Input): string {
  const rest = new Map(Object.entries(input))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size === 0 ? filled : `${filled}?${query}`
}

interface FetchOptions {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

async function send(url: string, init: FetchOptions): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { ...init, headers: { ...headers, ...init.headers }, cache: 'no-store' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new CallError('offline', 'The daemon does not answer.', 'Run `holdfast daemon status`.')
  }
  if (response.ok) return response
  const reply: unknown = await response.json().catch(() => undefined)
  const { error } = Object(reply)
  throw new CallError(response.status, error?.message ?? `The daemon answered ${response.status}.`, error?.hint)
}

/** Reads a route of the API; `contract.ts` holds the shapes of the replies. */
export async function get<Reply>(path: string, input: Input = {}, signal?: AbortSignal): Promise<Reply> {
  const response = await send(toUrl(path, input), signal === undefined ? {} : { signal })
  return response.json()
}

export async function post<Reply = unknown>(path: string, body: unknown, input: Input = {}): Promise<Reply> {
  const headers = { 'content-type': 'application/json' }
  const response = await send(toUrl(path, input), { method: 'POST', body: JSON.stringify(body), headers })
  return response.json()
}

/** Saves a reply as a file. A link could not: the token that the request needs is in a header. */
export async function download(path: string, input: Input, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await send(toUrl(path, input), {})).blob())
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
