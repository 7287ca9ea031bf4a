import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { messageOf } from '../../kernel/errors.ts'
import type { MemoryAdapter } from '../../tasks/model/memory-adapter.ts'
import type { Tasks } from '../../tasks/tasks.ts'
import { createGitHistory } from '../../platform/git/git-history.ts'
import { createTasks } from '../../tasks/use-cases/create-tasks.ts'
import { createLocalMemory } from '../../tasks/memory/local-memory.ts'
import { restMemoryOf } from '../../tasks/memory/rest-memory.ts'
import { probeOf } from '../../tasks/context-safety/io/external-probe.ts'
import { createTaskWatch, type TaskWatch } from '../../tasks/use-cases/watch-tasks.ts'
import type { TaskWorld } from '../../tasks/files/task-ports.ts'

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
