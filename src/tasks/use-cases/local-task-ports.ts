import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { systemEntropy } from '../../platform/base/entropy.ts'
import { createRedactors } from '../../platform/env-secrets.ts'
import { createGit } from '../../platform/git/git.ts'
import { createGitHistory } from '../../platform/git/git-history.ts'
import { createPlaces } from '../../platform/places.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { createLocalMemory } from '../memory/local-memory.ts'
import { restMemoryOf } from '../memory/rest-memory.ts'
import type { TaskWorld } from '../files/task-ports.ts'

export interface LocalTaskWorldOptions
  extends Pick<TaskWorld, 'continuity' | 'door' | 'env' | 'behind' | 'probe' | 'machine'> {
  readonly clock: Clock
  readonly log: Log
  readonly readsEnvFiles: boolean
}

/** This machine, as governed tasks see it. */
export function localTaskWorld(options: LocalTaskWorldOptions): TaskWorld {
  const { clock, readsEnvFiles, continuity, env, ...rest } = options
  const keeper = restMemoryOf(env)
  return {
    ...rest,
    clock,
    continuity,
    env,
    entropy: systemEntropy,
    redactors: createRedactors({ enabled: readsEnvFiles, clock }),
    places: createPlaces({ clock }),
    git: createGit(),
    history: createGitHistory(),
    processes: systemProcesses,
    memories: (cwd) => [createLocalMemory(continuity, cwd), ...(keeper === undefined ? [] : [keeper])],
  }
}
