import type { Config } from '../core/config.ts'
import type { ContinuityDeps } from '../core/continuity/deps.ts'
import { createMovedPlaces } from '../core/moved-places.ts'
import type { Clock, Log, Redactors, Store } from '../core/ports.ts'
import type { Home } from '../platform/home.ts'
import { openStore } from '../storage/open-store.ts'
import type { Backend } from './backend.ts'
import { localWorld } from './local-world.ts'
import { openUseCases } from './open-use-cases.ts'
import { createProjectConfig } from './project-config.ts'

export interface BackendOptions {
  readonly home: Home
  readonly config: Config
  readonly loadConfig: (worktree: string) => Config
  readonly clock: Clock
  readonly log: Log
  readonly redactors: Redactors
  /** Where Pieces would keep its database. */
  readonly piecesFile?: string
  /** What names another keeper of task memories. */
  readonly env?: NodeJS.ProcessEnv
  /** The configured one unless told. */
  readonly store?: Store
}

/** The real thing: the store, the world, and the use cases on both. Call it only while holding the lock. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { home, config, clock, log } = options
  const { databaseFile: sqliteFile, backupDir, quarantineDir } = home
  const hasEmbeddings = config.memory.embeddings === 'words'
  const { url } = config.store
  const store = options.store ?? (await openStore({ url, sqliteFile, backupDir, quarantineDir, hasEmbeddings, log }))
  const world = localWorld(clock)
  const deps: ContinuityDeps = {
    ...world,
    places: createMovedPlaces({ ...world, store, log }),
    store,
    redactors: options.redactors,
    log,
    configFor: createProjectConfig({ config, load: options.loadConfig, clock, log }),
  }
  return {
    ...openUseCases(deps, { ...options, safetyProbe: config.safety.probe }),
    store,
    close: async () => store[Symbol.asyncDispose](),
  }
}
