import { connectorsAt } from '../../harness/registry.ts'
import { systemEntropy } from '../../platform/base/entropy.ts'
import { cheapStartedAt } from '../../platform/process/proc-stat.ts'
import type { RouteName } from '../../api/route-table.ts'
import type { BoundRoute } from '../http/bind.ts'
import type { EventStream } from '../http/sse.ts'
import { agentDoorRoutes } from './agent-api.ts'
import { checkpointRoutes } from './checkpoints.ts'
import { type DaemonRoutesDeps, daemonRoutes } from './daemon.ts'
import { eventRoutes } from './events.ts'
import { hookRoutes } from './hooks.ts'
import { mcpRoutes } from './mcp.ts'
import { memoryRoutes } from './memories.ts'
import { sessionRoutes } from './sessions.ts'
import { taskRoutes } from './tasks.ts'

export type AllRoutesDeps = DaemonRoutesDeps &
  Omit<Parameters<typeof hookRoutes>[0], 'continuity' | 'getConnector' | 'entropy' | 'startedAtOf'> & {
    readonly home: Parameters<typeof connectorsAt>[0]
    readonly stream: EventStream
    readonly mcp: Parameters<typeof mcpRoutes>[0]
    readonly door: Parameters<typeof agentDoorRoutes>[0]
    readonly tasks: Parameters<typeof taskRoutes>[0]
  }

/** Does not compile while the table has a route without a handler. */
export function allRoutes(deps: AllRoutesDeps): Readonly<Record<RouteName, BoundRoute>> {
  const { engine } = deps
  return {
    ...daemonRoutes(deps),
    ...hookRoutes({
      ...deps,
      continuity: engine,
      getConnector: connectorsAt(deps.home),
      entropy: systemEntropy,
      startedAtOf: cheapStartedAt,
    }),
    ...eventRoutes(engine, deps.stream),
    ...checkpointRoutes(engine),
    ...sessionRoutes(engine),
    ...memoryRoutes(engine),
    ...mcpRoutes(deps.mcp),
    ...agentDoorRoutes(deps.door),
    ...taskRoutes(deps.tasks),
  }
}
