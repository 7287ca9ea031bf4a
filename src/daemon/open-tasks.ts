import type { ContinuityEngine } from '../core/continuity/create.ts'
import type { ContinuityDeps } from '../core/continuity/deps.ts'
import { messageOf } from '../core/errors.ts'
import type { MemoryAdapter } from '../core/task/memory-adapter.ts'
import type { Tasks } from '../core/task/tasks.ts'
import { createGitHistory } from '../platform/git-history.ts'
import { createTasks } from '../task/create-tasks.ts'
import { createLocalMemory } from '../task/local-memory.ts'
import { restMemoryOf } from '../task/rest-memory.ts'
import { probeOf } from '../task/long-context/external-probe.ts'
import { createTaskWatch, type TaskWatch } from '../task/watch-tasks.ts'
import type { TaskWorld } from '../task/world.ts'

/** An address that is none keeps nobody from their hooks. */
function findKeeper({ log }: ContinuityDeps, env: NodeJS.ProcessEnv): MemoryAdapter | undefined {
  try {
    return restMemoryOf(env)
  } catch (error) {
    log.warn('memory keeper not used', { error: messageOf(error) })
    return undefined
  }
}

function findProbe({ log }: ContinuityDeps, setting: string, env: NodeJS.ProcessEnv): Pick<TaskWorld, 'probe'> {
  try {
    const probe = probeOf(setting, env)
    return probe === undefined ? {} : { probe }
  } catch (error) {
    log.warn('safety probe not used', { error: messageOf(error) })
    return {}
  }
}

/** Governed tasks on the daemon's own world; their events go through the spine like everybody else's. */
export function openTasks(
  deps: ContinuityDeps,
  engine: Pick<ContinuityEngine, keyof TaskWorld['continuity']>,
  env: NodeJS.ProcessEnv,
  probe: string,
): { readonly tasks: Tasks; readonly watch: TaskWatch; readonly world: TaskWorld } {
  const keeper = findKeeper(deps, env)
  const world: TaskWorld = {
    ...deps,
    history: createGitHistory(),
    continuity: engine,
    memories: (cwd) => [createLocalMemory(engine, cwd), ...(keeper === undefined ? [] : [keeper])],
    behind: () => undefined,
    door: 'api',
    env,
    ...findProbe(deps, probe, env),
  }
  return { tasks: createTasks(world), watch: createTaskWatch({ world, store: deps.store, timers: deps.timers }), world }
}
