import type { Continuity } from '../../app/continuity.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'

export function memoryRoutes(continuity: Continuity) {
  return {
    listMemories: bind(ROUTES.listMemories, async ({ query }) => ({ memories: await continuity.listMemories(query) })),
    searchMemories: bind(ROUTES.searchMemories, async ({ query }) => ({ hits: await continuity.recall(query) })),
    remember: bind(ROUTES.remember, async ({ body }) => ({ memory: await continuity.remember(body) })),
    forget: bind(ROUTES.forget, async ({ params, query }) => {
      await continuity.forget(params.id, query.cwd)
      return { ok: true }
    }),
  }
}
