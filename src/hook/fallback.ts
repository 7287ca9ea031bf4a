import { startDaemon } from '../client/daemon-start.ts'
import { redactPayload } from '../platform/redact-payload.ts'
import { createSpool } from '../client/spool.ts'
import { messageOf } from '../core/errors.ts'
import type { Log } from '../core/ports.ts'
import { ensurePrivateDir } from '../platform/atomic-file.ts'
import { systemClock } from '../platform/clock.ts'
import type { Home } from '../platform/home.ts'
import { createLog } from '../platform/log.ts'
import { cheapStartedAt } from '../platform/proc-stat.ts'
import type { HookCall } from './call.ts'

// Everything that a hook needs only when something is wrong. A bundle of its own, because compiling it would cost every
// hook two milliseconds; main.ts loads it by name.

/** The folder is made only when there is something to say; without one, nothing is said. */
export function hookLog(home: Home): Log {
  const log = createLog({ file: home.hookLog, level: 'info', clock: systemClock })
  try {
    ensurePrivateDir(home.logDir, home.root)
  } catch (thrown) {
    log.warn('no log folder', { cause: messageOf(thrown) })
  }
  return log
}

/** Keeps the call for later, without its secrets. Never throws: what cannot be kept is said in the log. */
export async function spool(home: Home, call: HookCall, log: Log): Promise<void> {
  const where = { harness: call.harness, hook: call.hook, bytes: call.body.length }
  const startedAt = call.pid === undefined ? undefined : cheapStartedAt(call.pid)
  const entry = {
    id: call.eventId,
    at: new Date(call.receivedAtMs).toISOString(),
    harness: call.harness,
    hook: call.hook,
    ...(call.pid === undefined ? {} : { pid: call.pid }),
    ...(startedAt === undefined ? {} : { pidStartedAt: startedAt }),
  }
  try {
    const waiting = createSpool({ home, log })
    const { isJson, payload } = await redactPayload(call.body.toString('utf8'), systemClock)
    if (!isJson) {
      log.warn('payload is not JSON', where)
      waiting.putDead({ ...entry, payload })
    } else if (!waiting.put({ ...entry, payload })) log.error('event lost: the spool is full', where)
  } catch (thrown) {
    log.error('event lost: it could not be spooled', { ...where, cause: messageOf(thrown) })
  }
}

/** Starts the daemon for the calls to come. A folder that cannot be written means no start: it could not be told from fifty others. */
export function start(home: Home, env: NodeJS.ProcessEnv, script: string): void {
  try {
    startDaemon({ home, env, script })
  } catch (thrown) {
    hookLog(home).error('daemon not started', { cause: messageOf(thrown) })
  }
}
