import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, DEFAULT_CONFIG } from '../../../src/kernel/config.ts'
import type { Clock, Store } from '../../../src/kernel/ports/ports.ts'
import type { App } from '../../../src/daemon/wiring/app.ts'
import { openApp } from '../../../src/daemon/wiring/open-app.ts'
import { resolveHome } from '../../../src/platform/base/home.ts'
import { createRedactors } from '../../../src/platform/redactors.ts'
import { openSqliteStore } from '../../../src/storage/sqlite/engine.ts'
import { memoryLog } from '../../support/daemon-setup.ts'

/** A clock that is set to the moment of the event that is recorded next. */
export class PastClock implements Clock {
  #ms: number

  constructor(ms: number) {
    this.#ms = ms
  }

  now(): string {
    return new Date(this.#ms).toISOString()
  }

  monotonicMs(): number {
    return this.#ms
  }

  advance(ms: number): void {
    this.#ms += ms
  }
}

export interface SeedApp {
  readonly app: App
  readonly store: Store
  readonly clock: PastClock
}

/** The use cases on the database of a home whose daemon does not run, at a time in the past. Close `app` before the daemon starts. */
export async function openSeedApp(
  holdfastHome: string,
  startMs: number,
  settings: Partial<Config> = {},
): Promise<SeedApp> {
  const home = resolveHome({ HOLDFAST_HOME: holdfastHome })
  const { databaseFile: file, backupDir, quarantineDir } = home
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const store = await openSqliteStore({ file, backupDir, quarantineDir })
  const clock = new PastClock(startMs)
  const config = { ...DEFAULT_CONFIG, ...settings }
  const redactors = createRedactors({ clock })
  const app = await openApp({ home, config, clock, log: memoryLog(), store, loadConfig: () => config, redactors })
  return { app, store, clock }
}
