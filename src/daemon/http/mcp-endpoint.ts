import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { readCaller, readPiecesFile } from '../../mcp/tool/caller.ts'
import { PIPE_PATH, PIPE_PROTOCOL } from '../../mcp/pipe/daemon-link.ts'
import type { McpServer } from '../../mcp/server.ts'
import type { ToolPorts, ToolSet } from '../../mcp/tool/tool.ts'
import { systemEntropy } from '../../platform/base/crypto.ts'
import { VERSION } from '../../platform/base/version.ts'
import { ALREADY_SENT, type RequestEnv } from './bind.ts'
import { type Listener, findHeadRefusal } from './guard.ts'
import { refusal, renderRefusal, type Refusal } from './http-errors.ts'
import { sha256 } from '../../platform/base/crypto.ts'

export interface McpEndpointOptions extends Omit<ToolPorts, 'sha256' | 'randomBytes'> {
  readonly canRunCommands: boolean
  readonly chooseTools: () => ToolSet
  readonly usePiecesFile: (path: string) => void
  readonly log: Log
  /** Called on each use of the daemon. */
  readonly onUse: () => void
}

export interface McpEndpoint {
  /** Open pipes. */
  readonly size: number
  /** For the socket only: its file mode is the credential, and a pipe carries no token. */
  upgrade(listener: Listener): (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Answers one request that passed every check. */
  answer(env: RequestEnv, body: string | undefined): Promise<typeof ALREADY_SENT>
  close(): void
}

const createHeaderReader = (incoming: IncomingMessage) => (name: string) => {
  const value = incoming.headers[name]
  return typeof value === 'string' ? value : undefined
}

function refuse(socket: Duplex, refused: Refusal): void {
  const body = renderRefusal(refused)
  socket.end(
    `HTTP/1.1 ${refused.status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

export function createMcpEndpoint({
  log,
  onUse,
  canRunCommands,
  chooseTools,
  usePiecesFile,
  ...given
}: McpEndpointOptions): McpEndpoint {
  const ports: ToolPorts = {
    ...given,
    sha256,
    randomBytes: (count) => systemEntropy.bytes(count),
  }
  const pipes = new Set<Duplex>()
  let server: Promise<McpServer> | undefined

  // Loaded at first use, so that a starting daemon does not wait for the SDK's schemas.
  const load = () => {
    server ??= import('../../mcp/server.ts').then(({ createMcpServer: createMcpServing }) =>
      createMcpServing({
        ports,
        canRunCommands,
        chooseTools,
        version: VERSION,
        onFault: (tool, message) => log.error('MCP call failed', { tool, error: message }),
      }),
    )
    return server
  }

  async function serve(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const mcp = await load()
    const header = createHeaderReader(incoming)
    const pieces = readPiecesFile(header)
    if (pieces !== undefined) usePiecesFile(pieces)
    const transport = mcp.connect(readCaller(header), {
      write: (text) => void socket.write(text),
      end: () => void socket.end(),
    })
    if (head.length > 0) transport.feed(head)
    socket.on('data', (chunk: Buffer) => {
      onUse()
      transport.feed(chunk)
    })
    socket.on('end', () => transport.finish())
    socket.on('close', () => {
      pipes.delete(socket)
      void transport.close()
    })
  }

  return {
    get size() {
      return pipes.size
    },
    upgrade: (listener) => (incoming, socket, head) => {
      socket.on('error', (error) => {
        log.debug('MCP pipe broke', { error: getErrorMessage(error) })
        socket.destroy()
      })
      const isPipe = incoming.url === PIPE_PATH && incoming.headers.upgrade === PIPE_PROTOCOL
      const refused =
        findHeadRefusal(incoming, listener) ??
        (isPipe ? undefined : refusal('not-found', 'There is nothing to upgrade to here.'))
      if (refused !== undefined) return refuse(socket, refused)
      onUse()
      pipes.add(socket)
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PIPE_PROTOCOL}\r\n\r\n`)
      serve(incoming, socket, head).catch((error: unknown) => {
        log.error('MCP pipe not served', { error: getErrorMessage(error) })
        socket.destroy()
      })
    },
    async answer(env, body) {
      const { incoming, outgoing } = env
      const mcp = await load()
      const headers = new Headers()
      for (const [name, value] of Object.entries(incoming.headers)) {
        if (typeof value === 'string') headers.set(name, value)
      }
      const method = incoming.method ?? 'GET'
      const request = new Request('http://127.0.0.1/mcp', { method, headers, ...(body !== undefined && { body }) })
      const { status, headers: sent, body: stream } = await mcp.fetch(request)
      if (sent.get('content-type')?.startsWith('text/event-stream') === true) env.leave()
      outgoing.writeHead(status, Object.fromEntries(sent))
      if (stream === null) outgoing.end()
      // A client that leaves ends the stream; there is no client to report it to.
      else await pipeline(stream, outgoing).catch(() => undefined)
      return ALREADY_SENT
    },
    close() {
      for (const socket of pipes) socket.end()
    },
  }
}
