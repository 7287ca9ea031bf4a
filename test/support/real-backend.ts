import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { createRedactors } from '../../src/platform/env-secrets.ts'
import type { Home } from '../../src/platform/base/home.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open.ts'
import type { Backend } from '../../src/daemon/wiring/backend.ts'
import { openBackend } from '../../src/daemon/wiring/open-backend.ts'
import { memoryLog } from './daemon-world.ts'

/** The real wiring on a real SQLite, in this thread: the store's worker is a bundle. */
export async function realBackend(home: Home, settings: Partial<Config> = {}): Promise<Backend> {
  const { databaseFile: file, backupDir, quarantineDir } = home
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const store = await openSqliteStore({ file, backupDir, quarantineDir })
  const [clock, config, log] = [systemClock, { ...DEFAULT_CONFIG, ...settings }, memoryLog()]
  return openBackend({
    home,
    config,
    clock,
    log,
    store,
    loadConfig: () => config,
    redactors: createRedactors({ clock }),
  })
}
