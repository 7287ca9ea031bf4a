import type { Clock, Log } from '../core/ports.ts'
import { systemEntropy } from '../platform/entropy.ts'
import { createRedactors } from '../platform/env-secrets.ts'
import { createGit } from '../platform/git.ts'
import { createGitHistory } from '../platform/git-history.ts'
import { createPlaces } from '../platform/places.ts'
import { systemProcesses } from '../platform/processes.ts'
import { createLocalMemory } from './local-memory.ts'
import { restMemoryOf } from './rest-memory.ts'
import type { TaskWorld } from './world.ts'

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
