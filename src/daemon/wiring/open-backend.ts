import { type Config, isSharedStore } from '../../kernel/config.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { createProjectPlaces } from '../../project/project-locations.ts'
import type { Clock, Log, Redactors, Store } from '../../kernel/ports/ports.ts'
import { createClockTrustFile } from '../../platform/clock-trust-file.ts'
import type { Home } from '../../platform/base/home.ts'
import { readMachine } from '../../platform/machine.ts'
import { readPersonOf } from '../../platform/person.ts'
import { readRootCommit } from '../../platform/git/root-commit.ts'
import { openStore } from '../../storage/open-store.ts'
import type { FileIdentity } from '../../storage/sqlite/connection/file-identity.ts'
import type { Backend } from './backend.ts'
import { localWorld } from './local-ports.ts'
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
  /** The lock of the home, under which its database may be written. */
  readonly lock?: FileIdentity
  /** The configured one unless told. */
  readonly store?: Store
}

/** The real thing: the store, the world, and the use cases on both. Call it only while holding the lock. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { home, config, clock, log } = options
  const { databaseFile: sqliteFile, backupDir, quarantineDir } = home
  const hasEmbeddings = config.memory.embeddings === 'words'
  const { url, person } = config.store
  const machine = readMachine(home, isSharedStore(config.store))
  const owner = machine.sharesStore ? readPersonOf(home, person) : undefined
  const folders = { sqliteFile, backupDir, quarantineDir }
  const store = options.store ?? (await openStore({ url, ...folders, lock: options.lock, hasEmbeddings, owner, log }))
  const world = localWorld(clock)
  const deps: ContinuityDeps = {
    ...world,
    machine,
    places: createProjectPlaces({ ...world, store, log, machine, rootCommit: readRootCommit }),
    store,
    clockTrust: createClockTrustFile(home),
    redactors: options.redactors,
    log,
    configFor: createProjectConfig({ config, load: options.loadConfig, clock, log }),
  }
  return {
    ...openUseCases(deps, {
      ...options,
      safetyProbe: config.safety.probe,
      allowedVerifications: config.checklist.verifyOverMcp,
    }),
    store,
    canRunCommands: config.checklist.verifyOverMcp.length > 0,
    close: async () => store[Symbol.asyncDispose](),
  }
}
