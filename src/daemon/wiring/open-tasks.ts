import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { MemoryBackend } from '../../tasks/model/memory-backend.ts'
import type { Tasks } from '../../tasks/tasks.ts'
import { createGitHistory } from '../../platform/git/git-queries.ts'
import { createTasks } from '../../tasks/use-cases/create-tasks.ts'
import { createLocalMemory } from '../../tasks/memory/local-memory.ts'
import { createRestMemoryFromEnv } from '../../tasks/memory/rest-memory.ts'
import { createProbe } from '../../tasks/context-safety/io/external-probe.ts'
import { createTaskWatch, type TaskWatch } from '../../tasks/use-cases/watch-tasks.ts'
import type { TaskPorts } from '../../tasks/files/task-ports.ts'

/** An invalid address must not stop the daemon. */
function findMemoryBackend(
  { log }: ContinuityPorts,
  env: NodeJS.ProcessEnv,
  memoryUrl: string,
): MemoryBackend | undefined {
  try {
    return createRestMemoryFromEnv(env, memoryUrl)
  } catch (error) {
    log.warn('memory backend not used', { error: getErrorMessage(error) })
    return undefined
  }
}

function findProbe({ log }: ContinuityPorts, setting: string, env: NodeJS.ProcessEnv): Pick<TaskPorts, 'probe'> {
  try {
    const probe = createProbe(setting, env)
    return probe === undefined ? {} : { probe }
  } catch (error) {
    log.warn('safety probe not used', { error: getErrorMessage(error) })
    return {}
  }
}

/** Governed tasks in the daemon; their events are recorded like all others. */
export function openTasks(
  ports: ContinuityPorts,
  app: Pick<ContinuityApp, keyof TaskPorts['continuity']>,
  env: NodeJS.ProcessEnv,
  { probe, memoryUrl }: { readonly probe: string; readonly memoryUrl: string },
): { readonly tasks: Tasks; readonly watch: TaskWatch; readonly taskPorts: TaskPorts } {
  const backend = findMemoryBackend(ports, env, memoryUrl)
  const taskPorts: TaskPorts = {
    ...ports,
    history: createGitHistory(),
    continuity: app,
    memoryBackends: (cwd) => [createLocalMemory(app, cwd), ...(backend === undefined ? [] : [backend])],
    findOwnerProcess: () => undefined,
    entryPoint: 'api',
    env,
    ...findProbe(ports, probe, env),
  }
  return {
    tasks: createTasks(taskPorts),
    watch: createTaskWatch({ ports: taskPorts, store: ports.store, timers: ports.timers }),
    taskPorts,
  }
}
