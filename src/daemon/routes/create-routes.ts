import { isAbsolute } from 'node:path'
import { checkpointRow } from '../../api/checkpoints.ts'
import type { UseCases } from '../../api/route.ts'
import { ROUTES, type RouteName } from '../../api/route-table.ts'
import { createConnectorLookup } from '../../harness/registry.ts'
import type { Session } from '../../kernel/session.ts'
import { systemEntropy } from '../../platform/base/crypto.ts'
import { cheapStartedAt } from '../../platform/process/proc-stat.ts'
import { bind, bindUseCases, type BoundRoute } from '../http/bind.ts'
import { readBody } from '../http/body.ts'
import type { McpEndpoint } from '../http/mcp-endpoint.ts'
import type { EventStream } from '../http/sse.ts'
import { type DaemonRoutePorts, daemonRoutes } from './daemon.ts'
import { type OverviewPorts, overviewRoutes } from './overview.ts'
import { hookRoutes } from '../hooks/hook-routes.ts'

const SESSIONS_FOR_PROJECTS = 500

/** One entry for each repository, in the order of its latest activity, as the sessions come. */
function groupByProject(sessions: readonly Session[]) {
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

/** Routes that read the store and reply with more than the result of one use case. */
function listingRoutes({ continuity, agent }: UseCases, stream: EventStream) {
  /** `project` is a path in the store; a name is that of a known project, and an error where no project has it. */
  async function listCheckpoints({ project, ...query }: Parameters<typeof continuity.listCheckpoints>[0]) {
    if (project === undefined || isAbsolute(project)) return continuity.listCheckpoints({ project, ...query })
    const { projectId } = await agent.resolveProject({ project })
    const isOther = query.projectId !== undefined && query.projectId !== projectId
    return isOther ? [] : continuity.listCheckpoints({ ...query, projectId })
  }
  return {
    listCheckpoints: bind(ROUTES.listCheckpoints, async ({ query }) => ({
      checkpoints: (await listCheckpoints(query)).map(checkpointRow),
    })),
    listSessionCheckpoints: bind(ROUTES.listSessionCheckpoints, async ({ params, query }) => ({
      checkpoints: (await continuity.listCheckpoints({ ...params, ...query })).map(checkpointRow),
    })),
    listProjects: bind(ROUTES.listProjects, async () => ({
      projects: groupByProject(await continuity.listSessions({ limit: SESSIONS_FOR_PROJECTS })),
    })),
    listEvents: bind(ROUTES.listEvents, async ({ query, env }) => {
      if (env.incoming.headers.accept?.includes('text/event-stream') !== true) {
        return { events: await continuity.listEvents(query) }
      }
      const resumed = Number(env.incoming.headers['last-event-id'] ?? Number.NaN)
      return stream.open(env, Number.isSafeInteger(resumed) && resumed >= 0 ? resumed : query.afterSeq)
    }),
  }
}

/** Streamable HTTP. The body stays text: the protocol's own error answers a body that is not JSON. */
function mcpRoutes(mcp: Pick<McpEndpoint, 'answer'>) {
  return {
    mcp: bind(ROUTES.mcp, ({ env }) => readBody(env.incoming).then((body) => mcp.answer(env, body))),
    mcpStream: bind(ROUTES.mcpStream, ({ env }) => mcp.answer(env, undefined)),
  }
}

export type RoutePorts = DaemonRoutePorts &
  OverviewPorts &
  Omit<Parameters<typeof hookRoutes>[0], 'getConnector' | 'entropy' | 'findProcessStart'> & {
    readonly home: Parameters<typeof createConnectorLookup>[0]
    readonly stream: EventStream
    readonly mcp: Pick<McpEndpoint, 'answer'>
    readonly agentApi: UseCases['agent']
    readonly tasks: UseCases['tasks']
    readonly sync: UseCases['sync']
  }

/** Does not compile while the table has a route without a handler. */
export function createRoutes(ports: RoutePorts): Readonly<Record<RouteName, BoundRoute>> {
  const { continuity } = ports
  const useCases = { continuity, agent: ports.agentApi, tasks: ports.tasks, sync: ports.sync }
  return {
    ...bindUseCases(useCases),
    ...listingRoutes(useCases, ports.stream),
    ...mcpRoutes(ports.mcp),
    ...daemonRoutes(ports),
    ...overviewRoutes(ports),
    ...hookRoutes({
      ...ports,
      getConnector: createConnectorLookup(ports.home),
      entropy: systemEntropy,
      findProcessStart: cheapStartedAt,
    }),
  }
}
