import { existsSync, rmSync } from 'node:fs'
import type { CodeInspector } from '../../kernel/code-facts.ts'
import type { Config } from '../../kernel/config.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { createProjectLocator } from '../../project/project-locations.ts'
import type { Clock, Log, Redactors, Store } from '../../kernel/ports/ports.ts'
import { createClockTrustFile } from '../../platform/clock-trust-file.ts'
import type { Home } from '../../platform/base/home.ts'
import { readProjectStamp } from '../../platform/config.ts'
import { readSelf, writePersonId } from '../../platform/machine.ts'
import { readRootCommit } from '../../platform/git/git-queries.ts'
import { openStore } from '../../storage/open-store.ts'
import type { FileIdentity } from '../../storage/sqlite/connection/database-file.ts'
import { createLocalPorts } from './local-ports.ts'
import type { App } from './app.ts'
import { openSync } from './open-sync.ts'
import { openUseCases } from './open-use-cases.ts'
import { createProjectConfig } from './project-config.ts'

export interface AppOptions {
  readonly home: Home
  readonly config: Config
  readonly loadConfig: (worktree: string) => Config
  readonly clock: Clock
  readonly log: Log
  readonly redactors: Redactors
  /** The path of the Pieces database, if there is one. */
  readonly piecesFile?: string
  /** Reads code by syntax tree. */
  readonly inspector?: CodeInspector
  /** May name another memory backend for tasks. */
  readonly env?: NodeJS.ProcessEnv
  /** The lock of the home, under which its database may be written. */
  readonly lock?: FileIdentity
  /** Default: the configured store. */
  readonly store?: Store
}

/** Opens the store and wires the use cases to it. Call it only while holding the lock. */
export async function openApp(options: AppOptions): Promise<App> {
  const { home, config, clock, log } = options
  const { databaseFile: sqliteFile, backupDir, quarantineDir } = home
  const hasEmbeddings = config.memory.embeddings === 'words'
  const { url } = config.store
  const self = readSelf(home, config.store)
  const { machine } = self
  // Everything below reads the id at each use: it may become that of the person of a space.
  const person = { ...self.person }
  const owner = machine.sharesStore ? person : undefined
  const folders = { sqliteFile, backupDir, quarantineDir }
  const setsAsideLater = existsSync(home.setAsideFile)
  const store =
    options.store ??
    (await openStore({ url, ...folders, lock: options.lock, setsAsideLater, hasEmbeddings, owner, log }))
  if (setsAsideLater) rmSync(home.setAsideFile, { force: true })
  const local = createLocalPorts(clock)
  const deps: ContinuityPorts = {
    ...local,
    ...self,
    person,
    locator: createProjectLocator({
      ...local,
      surveyor: local.locator,
      store,
      log,
      machine,
      rootCommit: readRootCommit,
    }),
    store,
    clockTrust: createClockTrustFile(home),
    redactors: options.redactors,
    log,
    configFor: createProjectConfig({
      config,
      load: options.loadConfig,
      readStamp: (worktree) => readProjectStamp(worktree, home),
      clock,
      log,
    }),
  }
  let { piecesFile } = options
  const useCases = openUseCases(deps, {
    ...options,
    piecesFile: () => piecesFile,
    digest: config.digest,
    safetyProbe: config.safety.probe,
    memoryUrl: config.tasks.memoryUrl,
    allowedVerifications: config.checklist.verifyOverMcp,
    tools: config.mcp.tools,
  })
  const sync = openSync(deps, useCases.continuity, {
    home,
    ...(options.env !== undefined && { env: options.env }),
    // A shared store and a configured person are decided elsewhere.
    ...(owner === undefined &&
      config.store.person === '' && {
        adoptPerson(id: string) {
          writePersonId(home, id)
          person.id = id
        },
      }),
  })
  useCases.continuity.subscribe(({ kind }) => {
    if (kind === 'checkpoint' || kind === 'memory') sync.noteChange()
  })
  return {
    ...useCases,
    sync,
    store,
    usePiecesFile(path) {
      piecesFile = path
    },
    canRunCommands: config.checklist.verifyOverMcp.length > 0,
    async close() {
      await sync.stop()
      await store[Symbol.asyncDispose]()
    },
  }
}
