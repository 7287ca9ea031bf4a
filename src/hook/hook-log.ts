import { getErrorMessage } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { systemClock } from '../platform/base/clock.ts'
import type { Home } from '../platform/base/home.ts'
import { ensurePrivateDir } from '../platform/files/atomic-file.ts'
import { createLog } from '../platform/log.ts'

/** Creates the log folder, because a hook logs only when something is wrong. */
export function hookLog(home: Home): Log {
  const log = createLog({ file: home.hookLog, level: 'info', clock: systemClock })
  try {
    ensurePrivateDir(home.logDir, home.root)
  } catch (thrown) {
    log.warn('no log folder', { cause: getErrorMessage(thrown) })
  }
  return log
}
