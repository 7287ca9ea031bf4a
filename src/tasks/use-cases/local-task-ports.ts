import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { systemEntropy } from '../../platform/base/crypto.ts'
import { createRedactors } from '../../platform/redactors.ts'
import { createGit } from '../../platform/git/git.ts'
import { createGitHistory } from '../../platform/git/git-queries.ts'
import { createLocator } from '../../platform/locator.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { createLocalMemory } from '../memory/local-memory.ts'
import { createRestMemoryFromEnv } from '../memory/rest-memory.ts'
import type { TaskPorts } from '../files/task-ports.ts'

export interface LocalTaskPortsOptions
  extends Pick<TaskPorts, 'continuity' | 'entryPoint' | 'env' | 'findOwnerProcess' | 'probe' | 'machine'> {
  readonly clock: Clock
  readonly log: Log
  readonly readsEnvFiles: boolean
  /** `tasks.memoryUrl`. */
  readonly memoryUrl: string
}

export function createLocalTaskPorts(options: LocalTaskPortsOptions): TaskPorts {
  const { clock, readsEnvFiles, continuity, env, memoryUrl, ...given } = options
  const restMemory = createRestMemoryFromEnv(env, memoryUrl)
  return {
    ...given,
    clock,
    continuity,
    env,
    entropy: systemEntropy,
    redactors: createRedactors({ enabled: readsEnvFiles, clock }),
    locator: createLocator({ clock }),
    git: createGit(),
    history: createGitHistory(),
    processes: systemProcesses,
    memoryBackends: (cwd) => [createLocalMemory(continuity, cwd), ...(restMemory === undefined ? [] : [restMemory])],
  }
}
