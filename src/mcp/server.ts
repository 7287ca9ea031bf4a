import { ProtocolError, ProtocolErrorCode, Server, type Tool as ListedTool } from '@modelcontextprotocol/server'
import { redactInput } from '../redaction/redact-input.ts'
import { callTool } from './call-tool.ts'
import { type Caller, sessionKeyInMeta } from './tool/caller.ts'
import { withCurrentSession } from './tool/current-session.ts'
import { INSTRUCTIONS } from './instructions.ts'
import type { ToolWorld } from './tool/tool.ts'
import { allTools } from './tool-list.ts'

export interface McpServerDeps {
  readonly world: ToolWorld
  readonly version: string
  /** What `tools/list` answers; made once, because making it costs more than everything else in a connection. */
  readonly tools: ListedTool[]
  /** Told of faults of ours, which the agent is not. */
  readonly onFault: (tool: string, message: string) => void
}

/** The list changes with the version only. */
const LIST_TTL_MS = 3_600_000

/** A server for one connection or request of one caller, of whichever revision it speaks. */
export function createServer({ world, version, tools, onFault }: McpServerDeps, caller: Caller): Server {
  const server = new Server(
    { name: 'holdfast', title: 'Holdfast', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
        'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = allTools.find(({ name }) => name === params.name)
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${world.redact(params.name)}`)
    }
    const named = redactInput(sessionKeyInMeta(mcpReq._meta))
    // A session named by the request is not the environment's, so neither is its harness.
    const who =
      named === undefined || named === caller.sessionKey
        ? await withCurrentSession(caller, world.continuity)
        : { cwd: caller.cwd, sessionKey: named }
    return callTool(tool, params.arguments, { ...world, caller: who }, (message) => onFault(tool.name, message))
  })
  return server
}
