import { readFileSync, writeFileSync } from 'node:fs'
import { harnessDaemonEnv, startDaemon } from '../client/daemon-start.ts'
import { redactPayload } from '../platform/redact-payload.ts'
import { createSpool } from '../spool/spool.ts'
import { messageOf } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { ensurePrivateDir } from '../platform/files/atomic-file.ts'
import { systemClock } from '../platform/base/clock.ts'
import { errnoOf, isDiskFull } from '../platform/base/errno.ts'
import { type Home, withWholeHome } from '../platform/base/home.ts'
import { findTargetProcess } from '../platform/launcher-file.ts'
import { createLog } from '../platform/log.ts'
import { recordLostHook, sessionIn } from '../platform/lost-hooks.ts'
import { cheapStartedAt, isAliveCheaply, procStat } from '../platform/process/proc-stat.ts'
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

/**
 * Keeps the call for later, without its secrets; true once it is durable. Never throws: what cannot be kept is said in the log.
 * Only the last attempt counts a lost hook: a stand-in that fails leaves the call to the Node client.
 */
export async function spool(home: Home, call: HookCall, log: Log, isLastAttempt = true): Promise<boolean> {
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
      return true
    }
    const isKept = waiting.put({ ...entry, payload })
    if (!isKept) log.error('event lost: the spool is full', where)
    return isKept
  } catch (thrown) {
    log.error('event lost: it could not be spooled', { ...where, cause: messageOf(thrown) })
    if (isLastAttempt && isDiskFull(thrown)) countLost(home, call, entry.at)
    return false
  }
}

function sessionOf(body: Buffer): string | undefined {
  try {
    return sessionIn(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** The log has no room for it either: what is counted here is told once there is some. */
function countLost(home: Home, { harness, hook, body }: HookCall, at: string): void {
  const session = sessionOf(body)
  try {
    recordLostHook(home, { at, harness, hook, ...(session !== undefined && { session }) })
  } catch {
    // Nowhere is left to say it.
  }
}

/** Starts the daemon for the calls to come; false when somebody else just did. A folder that cannot be written means no start: it could not be told from fifty others. */
export function start(home: Home, env: NodeJS.ProcessEnv, script: string): boolean {
  try {
    return startDaemon({ home, env, script, isHarnessEnv: true })
  } catch (thrown) {
    hookLog(home).error('daemon not started', { cause: messageOf(thrown) })
    return false
  }
}

/** Whether a stand-in takes calls because the daemon does not answer. */
export function hasStandIn(home: Home): boolean {
  const pid = findTargetProcess(home.lateFile)?.pid
  return pid !== undefined && procStat(pid)?.state !== 'T'
}

/** Whether we are the one to start a stand-in. Only advice: of two, the later withdraws. */
function claimStandIn(home: Home): boolean {
  try {
    writeFileSync(home.lateFile, claimBy(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown
    const [format, pid] = readFileSync(home.lateFile, 'utf8').split('\n')
    return !hasStandIn(home) && !(format === STARTING && isAliveCheaply({ pid: Number(pid) }))
  }
}

/** Read by launcher.sh too. */
const STARTING = 'starting'
const claimBy = (pid: number) => `${STARTING}\n${pid}\n`

/** Has the calls to come taken by one process, as long as the daemon does not answer. */
export function startStandIn(home: Home, env: NodeJS.ProcessEnv, script: string): void {
  try {
    if (!claimStandIn(home)) return
    const child = process.getBuiltinModule('node:child_process').spawn(process.execPath, [script], {
      cwd: '/',
      env: withWholeHome(harnessDaemonEnv(env)),
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
    })
    // Without a listener a failed start would be an uncaught exception; the next late call tries again.
    child.on('error', () => undefined)
    child.unref()
    if (child.pid !== undefined && !hasStandIn(home)) writeFileSync(home.lateFile, claimBy(child.pid))
  } catch (thrown) {
    hookLog(home).warn('stand-in not started', { cause: messageOf(thrown) })
  }
}
