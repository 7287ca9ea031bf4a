import type { Log } from '../../kernel/ports/ports.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import { type FileIdentity, isStillThere } from '../../storage/sqlite/connection/database-file.ts'
import { acquireLock, type LockHandle } from '../../storage/sqlite/connection/lock.ts'

const CHECK_EVERY_MS = 1_000

/** Locks the home for one daemon: undefined when another has it. */
export function lockHome(home: Home): LockHandle | undefined {
  ensurePrivateDir(home.root)
  for (const dir of [home.runDir, home.logDir, home.spoolDir]) ensurePrivateDir(dir, home.root)
  return acquireLock(home.lockFile)
}

export interface HomeWatch {
  /** Ends the process when the home is no longer the one that was locked. */
  check(): void
  /** The same listener, with a check before each call. */
  before<Args extends readonly unknown[]>(listener: (...args: Args) => void): (...args: Args) => void
  /** Checks every second from now on. */
  start(): void
  stop(): void
}

/**
 * The user may delete or move the home while the daemon runs, as the docs say to do after an uninstall. The lock then
 * protects nothing: the next hook creates a new home at the same path, with its own daemon.
 */
export function watchHome(lock: FileIdentity, onHomeLost: (() => void) | undefined, log: Log): HomeWatch {
  let timer: NodeJS.Timeout | undefined
  let isLost = false

  function check(): void {
    if (onHomeLost === undefined || isLost || isStillThere(lock)) return
    isLost = true
    log.warn('daemon ends: its home was removed or replaced', { lock: lock.path, pid: process.pid })
    onHomeLost()
  }

  return {
    check,
    before:
      (listener) =>
      (...args) => {
        check()
        if (!isLost) listener(...args)
      },
    start() {
      timer = setInterval(check, CHECK_EVERY_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
