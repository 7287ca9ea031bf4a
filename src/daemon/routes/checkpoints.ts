import type { Continuity } from '../../app/continuity.ts'
import { checkpointRow } from '../../wire/checkpoint.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'

export function checkpointRoutes(continuity: Continuity) {
  return {
    listCheckpoints: bind(ROUTES.listCheckpoints, async ({ query }) => ({
      checkpoints: (await continuity.listCheckpoints(query)).map(checkpointRow),
    })),
    listSessionCheckpoints: bind(ROUTES.listSessionCheckpoints, async ({ params, query }) => {
      const found = await continuity.listCheckpoints({ sessionKey: params.sessionKey, limit: query.limit })
      return { checkpoints: found.map(checkpointRow) }
    }),
    checkpointNow: bind(ROUTES.checkpointNow, async ({ body }) => {
      const checkpoint = await continuity.checkpoint(body.sessionId, body.trigger)
      return checkpoint === undefined ? {} : { checkpoint }
    }),
    receiveHandoff: bind(ROUTES.receiveHandoff, async ({ body }) => ({
      checkpoint: await continuity.receiveHandoff(body),
    })),
    deleteCheckpoint: bind(ROUTES.deleteCheckpoint, async ({ params }) => {
      await continuity.deleteCheckpoint(params.id)
      return { ok: true }
    }),
  }
}
