import type { Log } from '../../kernel/ports/ports.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import { type FileIdentity, isStillThere } from '../../storage/sqlite/connection/file-identity.ts'
import { acquireLock, type LockHandle } from '../../storage/sqlite/connection/lock.ts'

const LOOK_EVERY_MS = 1_000

/** One daemon for each home: undefined when another has it. */
export function lockHome(home: Home): LockHandle | undefined {
  ensurePrivateDir(home.root)
  for (const dir of [home.runDir, home.logDir, home.spoolDir]) ensurePrivateDir(dir, home.root)
  return acquireLock(home.lockFile)
}

export interface HomeWatch {
  /** Ends the process when the home is no longer the one that was locked. */
  look(): void
  /** The same listener, with a look before each call. */
  before<Args extends readonly unknown[]>(listener: (...args: Args) => void): (...args: Args) => void
  /** Looks every second from now on. */
  start(): void
  stop(): void
}

/**
 * Somebody deletes or moves the home while the daemon runs, as everybody is told to after an uninstall. Its lock then locks nothing:
 * the next hook makes a new home at the same path, with a daemon of its own.
 */
export function watchHome(lock: FileIdentity, onHomeLost: (() => void) | undefined, log: Log): HomeWatch {
  let timer: NodeJS.Timeout | undefined
  let isLost = false

  function look(): void {
    if (onHomeLost === undefined || isLost || isStillThere(lock)) return
    isLost = true
    log.warn('daemon ends: its home was removed or replaced', { lock: lock.path, pid: process.pid })
    onHomeLost()
  }

  return {
    look,
    before:
      (listener) =>
      (...args) => {
        look()
        if (!isLost) listener(...args)
      },
    start() {
      timer = setInterval(look, LOOK_EVERY_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
