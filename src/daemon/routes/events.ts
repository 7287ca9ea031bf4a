import type { Continuity } from '../../app/continuity.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import type { EventStream } from '../http/sse.ts'

export function eventRoutes(continuity: Continuity, stream: EventStream) {
  return {
    recordEvents: bind(ROUTES.recordEvents, async ({ body }) => ({
      recorded: await continuity.recordAll(body.events),
    })),
    importHistory: bind(ROUTES.importHistory, ({ body }) => continuity.importHistory(body)),
    listEvents: bind(ROUTES.listEvents, async ({ query, env }) => {
      if (env.incoming.headers.accept?.includes('text/event-stream') !== true) {
        return { events: await continuity.listEvents(query) }
      }
      const resumed = Number(env.incoming.headers['last-event-id'] ?? Number.NaN)
      return stream.open(env, Number.isSafeInteger(resumed) && resumed >= 0 ? resumed : query.afterSeq)
    }),
  }
}
