import type { Continuity } from '../../app/continuity.ts'
import type { Session } from '../../kernel/session.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import { receiptRoutes } from './start-outcomes.ts'

const SESSIONS_FOR_PROJECTS = 500

/** One entry for each repository, in the order of its latest activity, as the sessions come. */
function projectsOf(sessions: readonly Session[]) {
  const grouped = new Map<string, Session[]>()
  for (const session of sessions) {
    if (session.place === undefined) continue
    const group = grouped.get(session.place.projectId)
    if (group === undefined) grouped.set(session.place.projectId, [session])
    else group.push(session)
  }
  return [...grouped.values()].flatMap((group) => {
    const [latest] = group
    if (latest?.place === undefined) return []
    const { projectId, project, projectNormalized } = latest.place
    const worktrees = [...new Set(group.flatMap(({ place }) => (place === undefined ? [] : [place.worktree])))].sort()
    return [
      { projectId, project, projectNormalized, worktrees, sessions: group.length, lastEventAt: latest.lastEventAt },
    ]
  })
}

export function sessionRoutes(continuity: Continuity) {
  return {
    ...receiptRoutes(continuity),
    listSessions: bind(ROUTES.listSessions, async ({ query }) => ({ sessions: await continuity.listSessions(query) })),
    getSession: bind(ROUTES.getSession, async ({ params, query }) => ({
      session: await continuity.getSession(params.sessionKey, query.harness),
    })),
    explain: bind(ROUTES.explain, async ({ query }) => ({ explanation: await continuity.explain(query) })),
    previewRecovery: bind(ROUTES.previewRecovery, async ({ query }) => ({
      recovery: await continuity.previewRecovery(query),
    })),
    inject: bind(ROUTES.inject, async ({ body }) => {
      const injection = await continuity.inject(body)
      return injection === undefined ? {} : { injection }
    }),
    confirmInjection: bind(ROUTES.confirmInjection, async ({ body }) => {
      await continuity.confirmInjection(body.injection)
      return { ok: true }
    }),
    locate: bind(ROUTES.locate, async ({ query }) => ({ place: await continuity.locate(query.cwd) })),
    listProjects: bind(ROUTES.listProjects, async () => ({
      projects: projectsOf(await continuity.listSessions({ limit: SESSIONS_FOR_PROJECTS })),
    })),
    sightings: bind(ROUTES.sightings, async ({ query }) => ({ sightings: await continuity.sightings(query.harness) })),
    counts: bind(ROUTES.counts, async () => ({ counts: await continuity.counts() })),
  }
}
