import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import { readBody } from '../http/body.ts'
import type { McpDoor } from '../http/mcp-endpoint.ts'

/** Streamable HTTP. The body stays text: what is no JSON is refused in the protocol's own words. */
export function mcpRoutes(door: Pick<McpDoor, 'answer'>) {
  return {
    mcp: bind(ROUTES.mcp, async ({ env }) => {
      const response = await door.answer(env.incoming, await readBody(env.incoming))
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) env.leave()
      return response
    }),
    mcpStream: bind(ROUTES.mcpStream, ({ env }) => door.answer(env.incoming, undefined)),
  }
}
