import { createMcpHandler } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { messageOf } from '../kernel/errors.ts'
import type { Caller } from './tool/caller.ts'
import { callerOf } from './tool/caller-headers.ts'
import { createLineTransport, type LineOut, type LineTransport } from './pipe/line-transport.ts'
import { createServer, type McpServerDeps } from './server.ts'
import { listTools } from './tool-list.ts'

export interface McpServing {
  /** One client that speaks in lines; its `close` ends it. */
  connect(caller: Caller, out: LineOut): LineTransport
  /** One request of Streamable HTTP, checked by whoever took it. */
  fetch(request: Request): Promise<Response>
}

/** Both revisions of the protocol, on both of its transports. */
export function createMcpServing({
  canRunCommands,
  ...given
}: Omit<McpServerDeps, 'tools'> & { readonly canRunCommands: boolean }): McpServing {
  const deps = { ...given, tools: listTools({ canRunCommands }) }
  const onerror = (error: unknown) => deps.onFault('protocol', messageOf(error))
  const http = createMcpHandler(
    ({ requestInfo }) =>
      createServer(
        deps,
        callerOf((name) => requestInfo?.headers.get(name) ?? undefined),
      ),
    { onerror },
  )
  return {
    connect(caller, out) {
      const transport = createLineTransport(out)
      serveStdio(() => createServer(deps, caller), { transport, onerror })
      return transport
    },
    fetch: (request) => http.fetch(request),
  }
}
