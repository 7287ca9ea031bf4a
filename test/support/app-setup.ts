import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { createRedactors } from '../../src/platform/redactors.ts'
import type { Home } from '../../src/platform/base/home.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import type { App } from '../../src/daemon/wiring/app.ts'
import { openApp } from '../../src/daemon/wiring/open-app.ts'
import { memoryLog } from './daemon-setup.ts'

/** The real wiring on a real SQLite, in this thread: the store's worker is a bundle. */
export async function openTestApp(home: Home, settings: Partial<Config> = {}): Promise<App> {
  const { databaseFile: file, backupDir, quarantineDir } = home
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const store = await openSqliteStore({ file, backupDir, quarantineDir })
  const [clock, config, log] = [systemClock, { ...DEFAULT_CONFIG, ...settings }, memoryLog()]
  return openApp({
    home,
    config,
    clock,
    log,
    store,
    loadConfig: () => config,
    redactors: createRedactors({ clock }),
  })
}
