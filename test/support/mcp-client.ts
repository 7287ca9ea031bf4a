import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Product } from './product.ts'

const root = join(import.meta.dirname, '..', '..')

export const TRANSPORTS = ['stdio', 'http'] as const
export type TransportName = (typeof TRANSPORTS)[number]
/** The newest of each era of the protocol; a client of either must be served. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof REVISIONS)[number]

export interface ClientOptions {
  readonly transport: TransportName
  readonly revision: Revision
  readonly cwd: string
  /** The tools that are listed; all of them unless given. */
  readonly tools?: 'everyday' | 'all'
  /** Passed in the environment over stdio, and in a header over HTTP. */
  readonly sessionKey?: string
}

export interface Called {
  readonly isError: boolean
  readonly text: string
}

/** A client of the public SDK, connected to the built product. */
export class McpClient implements AsyncDisposable {
  readonly client: Client

  private constructor(client: Client) {
    this.client = client
  }

  static async connect(product: Product, options: ClientOptions): Promise<McpClient> {
    const mode = options.revision === '2025-11-25' ? 'legacy' : { pin: options.revision }
    const client = new Client({ name: 'contract', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(options.transport === 'stdio' ? stdio(product, options) : await http(product, options))
    return new McpClient(client)
  }

  async call(name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>): Promise<Called> {
    const { content, isError } = await this.client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) })
    const [first] = Array.isArray(content) ? content : []
    if (first?.type !== 'text') throw new Error(`${name} answered without text`)
    return { isError: isError === true, text: first.text }
  }

  /** The answer of a tool that must succeed, as JSON. */
  async json(name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>): Promise<unknown> {
    const { isError, text } = await this.call(name, args, meta)
    if (isError) throw new Error(`${name}: ${text}`)
    return JSON.parse(text)
  }

  /** What a tool that must fail says. */
  async refusal(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const { isError, text } = await this.call(name, args)
    if (!isError) throw new Error(`${name} did not fail: ${text}`)
    return JSON.parse(text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close()
  }
}

function stdio(product: Product, { cwd, sessionKey, tools = 'all' }: ClientOptions): StdioClientTransport {
  const env = Object.entries({ ...product.env, CLAUDE_CODE_SESSION_ID: sessionKey, HOLDFAST_MCP_TOOLS: tools })
  return new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'bin', 'holdfast'), 'mcp'],
    cwd,
    env: Object.fromEntries(env.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  })
}

export interface HttpAgentApi {
  readonly url: URL
  readonly token: string
}

/** Where the daemon serves MCP over HTTP, started if need be. */
export async function httpAgentApi(product: Product): Promise<HttpAgentApi> {
  await product.json(['daemon', 'start'])
  const { port }: { port: number } = JSON.parse(readFileSync(join(product.home, 'run', 'endpoint.json'), 'utf8'))
  const token = readFileSync(join(product.home, 'token'), 'utf8').trim()
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), token }
}

async function http(
  product: Product,
  { cwd, sessionKey, tools = 'all' }: ClientOptions,
): Promise<StreamableHTTPClientTransport> {
  const { url, token } = await httpAgentApi(product)
  return new StreamableHTTPClientTransport(url, {
    requestInit: {
      headers: {
        Authorization: `Bearer ${token}`,
        'Holdfast-Cwd': encodeURIComponent(cwd),
        'Holdfast-Tools': tools,
        ...(sessionKey !== undefined && { 'Holdfast-Session-Key': sessionKey, 'Holdfast-Harness': 'claude-code' }),
      },
    },
  })
}
